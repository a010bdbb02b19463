<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:call-template name="f"><xsl:with-param name="a" select="1"/><xsl:with-param name="unknown" select="9"/></xsl:call-template><xsl:apply-templates select="r/i[1]"><xsl:with-param name="a"><b>tree</b></xsl:with-param></xsl:apply-templates></o></xsl:template>
<xsl:template match="i"><xsl:param name="a"/><xsl:param name="b" select="concat($a,'!')"/><xsl:copy-of select="$a"/><xsl:value-of select="$b"/></xsl:template>
<xsl:template name="f"><xsl:param name="a" select="5"/><xsl:param name="b" select="$a + 1"/><xsl:value-of select="$a"/>,<xsl:value-of select="$b"/>;</xsl:template>
</xsl:stylesheet>
