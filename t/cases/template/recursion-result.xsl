<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:call-template name="rev"><xsl:with-param name="s" select="'abcdef'"/></xsl:call-template></o></xsl:template>
<xsl:template name="rev"><xsl:param name="s"/><xsl:variable name="rest"><xsl:if test="string-length($s) &gt; 1"><xsl:call-template name="rev"><xsl:with-param name="s" select="substring($s,2)"/></xsl:call-template></xsl:if></xsl:variable><xsl:value-of select="concat($rest,substring($s,1,1))"/></xsl:template>
</xsl:stylesheet>
