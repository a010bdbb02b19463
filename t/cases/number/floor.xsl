<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="floor(2.6)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="floor(-2.5)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="floor(2)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="floor('x')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="floor(1 div 0)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="floor(-0.5)"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
