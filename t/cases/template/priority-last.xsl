<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates select="r/i[1]"/></o></xsl:template>
<xsl:template match="i">first</xsl:template>
<xsl:template match="i">second</xsl:template>

</xsl:stylesheet>
