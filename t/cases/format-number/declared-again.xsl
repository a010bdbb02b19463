<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- Declared again, with the same values: the default ones count as given (12.3). -->
  <xsl:import href="declared-again.inc"/>
  <xsl:output method="text"/>
  <xsl:decimal-format name="price" grouping-separator="." decimal-separator="," percent="%"/>
  <xsl:decimal-format minus-sign="~" digit="#"/>
  <xsl:template match="/">
    <xsl:value-of select="concat(format-number(-1234.5, '#.##0,00', 'price'), ' ', format-number(-1, '0'))"/>
  </xsl:template>
</xsl:stylesheet>
