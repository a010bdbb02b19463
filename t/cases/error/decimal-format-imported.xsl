<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:import href="decimal-format-imported.inc"/>
  <xsl:decimal-format name="price" decimal-separator="."/>
  <xsl:template match="/"><xsl:value-of select="format-number(1.5, '0.0', 'price')"/></xsl:template>
</xsl:stylesheet>
