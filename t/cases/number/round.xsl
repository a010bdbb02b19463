<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="round(2.5)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="round(-2.5)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="round(2.4)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="round(-2.6)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="round(0.49)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="round('x')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="round(1 div 0)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 div round(-0.2)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="round(1.5)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="round(-1.5)"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
