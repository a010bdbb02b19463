<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="import-e.xsl"/>
<xsl:variable name="v" select="'b'"/>
<xsl:attribute-set name="s"><xsl:attribute name="b">b</xsl:attribute></xsl:attribute-set>
<xsl:template match="a">b<xsl:call-template name="n"/></xsl:template>
</xsl:stylesheet>
