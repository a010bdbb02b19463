<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates select="r/i"><xsl:sort select="@s" order="descending"/></xsl:apply-templates></o></xsl:template>
<xsl:template match="i"><xsl:value-of select="position()"/><xsl:value-of select="."/> </xsl:template>

</xsl:stylesheet>
