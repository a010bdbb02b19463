<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="import-b.xsl"/>
<xsl:import href="import-c.xsl"/>
<xsl:include href="import-d.xsl"/>
<xsl:variable name="v" select="'main'"/>
<xsl:template match="a">main<xsl:apply-imports/></xsl:template>
<xsl:template match="x" priority="1.5">main</xsl:template>
<xsl:template name="n">main</xsl:template>
</xsl:stylesheet>
