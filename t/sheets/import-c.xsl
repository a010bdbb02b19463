<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="a">c</xsl:template>
<xsl:template name="n">c</xsl:template>
<xsl:attribute-set name="s"><xsl:attribute name="c">c</xsl:attribute></xsl:attribute-set>
</xsl:stylesheet>
