<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:call-template name="sum"><xsl:with-param name="n" select="1000"/></xsl:call-template></o></xsl:template>
<xsl:template name="sum"><xsl:param name="n"/><xsl:param name="s" select="0"/><xsl:choose><xsl:when test="$n = 0"><xsl:value-of select="$s"/></xsl:when><xsl:otherwise><xsl:call-template name="sum"><xsl:with-param name="n" select="$n - 1"/><xsl:with-param name="s" select="$s + $n"/></xsl:call-template></xsl:otherwise></xsl:choose></xsl:template>
</xsl:stylesheet>
