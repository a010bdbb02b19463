<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="import-e.xsl"/>
<xsl:template match="a">d, included</xsl:template>
<xsl:attribute-set name="s"><xsl:attribute name="d">d</xsl:attribute></xsl:attribute-set>
</xsl:stylesheet>
