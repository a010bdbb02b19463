<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:key name="k" match="i" use="@k"/><xsl:template match="/"><o><xsl:apply-templates select="r/i"/></o></xsl:template>
<xsl:template match="key('k','b')">B</xsl:template>
<xsl:template match="i" priority="-1">-</xsl:template>

</xsl:stylesheet>
