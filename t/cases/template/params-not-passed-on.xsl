<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates select="r"><xsl:with-param name="p" select="1"/></xsl:apply-templates></o></xsl:template>
<xsl:template match="i|s"><xsl:param name="p" select="0"/><xsl:value-of select="$p"/></xsl:template>

</xsl:stylesheet>
