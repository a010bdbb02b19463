<xsl:stylesheet version="2.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- What XSLT 1.0 calls an error is the rule of later versions: the higher import precedence counts. -->
  <xsl:import href="declared-again.inc"/>
  <xsl:output method="text"/>
  <xsl:decimal-format name="price" grouping-separator="_"/>
  <xsl:template match="/"><xsl:value-of select="format-number(1234.5, '#_##0.00', 'price')"/></xsl:template>
</xsl:stylesheet>
