<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:call-template name="down"><xsl:with-param name="n" select="5"/></xsl:call-template></o></xsl:template>
<xsl:template name="down"><xsl:param name="n"/><xsl:value-of select="$n"/><xsl:if test="$n &gt; 0">,<xsl:call-template name="down"><xsl:with-param name="n" select="$n - 1"/></xsl:call-template></xsl:if></xsl:template>
</xsl:stylesheet>
