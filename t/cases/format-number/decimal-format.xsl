<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:decimal-format name="eu" decimal-separator="," grouping-separator="." NaN="nix" minus-sign="~"/><xsl:decimal-format name="pc" percent="p"/><xsl:decimal-format name="dig" zero-digit="a"/><xsl:template match="/">
  <xsl:value-of select="format-number(1234.5,'#.##0,00','eu')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(0 div 0,'0','eu')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(-3,'0','eu')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(0.5,'0p','pc')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(12,'aa','dig')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
