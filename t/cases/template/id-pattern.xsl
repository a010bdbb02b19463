<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates select="//e"/></o></xsl:template>
<xsl:template match="id('x')/e">inside </xsl:template>
<xsl:template match="e">other </xsl:template>
<xsl:template match="id('y')" priority="2">is y </xsl:template>

</xsl:stylesheet>
