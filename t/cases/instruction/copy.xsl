<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><xsl:apply-templates select="r/s"/></xsl:template>
<xsl:template match="s|t"><xsl:copy><xsl:attribute name="a">1</xsl:attribute><xsl:apply-templates/></xsl:copy></xsl:template>

</xsl:stylesheet>
