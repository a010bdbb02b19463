<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:variable name="v" select="'global'"/><xsl:template match="/"><o><xsl:value-of select="$v"/>,<xsl:apply-templates select="r/s"/></o></xsl:template>
<xsl:template match="s"><xsl:variable name="v" select="'local'"/><xsl:value-of select="$v"/></xsl:template>

</xsl:stylesheet>
