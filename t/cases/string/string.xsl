<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="string(1)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(/r/a)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(//nosuch)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(true())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(1 div 0)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(-1 div 0)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(0 div 0)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(-0)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(1.50)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(1000000)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(123456789012)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(0.1)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(-0.5)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(/r/c)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(//@x)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string(//*)"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
