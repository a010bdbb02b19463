<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="boolean(0)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="boolean(1)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="boolean('')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="boolean('0')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="boolean(/r/a)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="boolean(/r/z)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="boolean(0 div 0)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="boolean(-1)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="boolean(/r/n)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="boolean(number(/r/n))"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
