<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates select="//*"/></o></xsl:template>
<xsl:template match="*">. </xsl:template>
<xsl:template match="r//t">A </xsl:template>
<xsl:template match="/r">B </xsl:template>
<xsl:template match="r/i[2]">C </xsl:template>
<xsl:template match="s/t" priority="2">D </xsl:template>
<xsl:template match="i[last()]" priority="3">E </xsl:template>

</xsl:stylesheet>
