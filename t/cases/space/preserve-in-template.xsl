<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- white space that xml:space="preserve" keeps is text also where a template begins -->
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/" xml:space="preserve"> <k> <xsl:value-of select="1"/> </k>
<xsl:if test="1"> <i/> </xsl:if><xsl:for-each select="*"> <f/> </xsl:for-each><xsl:call-template name="t"><xsl:with-param name="p"> x </xsl:with-param></xsl:call-template><xsl:call-template name="u"/><xsl:call-template name="only"/></xsl:template>
<xsl:template name="t" xml:space="preserve"><xsl:param name="p"/><xsl:param name="q"> <y/> </xsl:param> [<xsl:value-of select="$p"/>]<xsl:copy-of select="$q"/></xsl:template>
<xsl:template name="u"> <w xml:space="preserve"> <v xml:space="default"> </v> </w> <!-- not kept --> </xsl:template>
<xsl:template name="only" xml:space="preserve"> </xsl:template>
</xsl:stylesheet>
