<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="0.000001"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1234567.891"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="100"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 div 8"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 div 1000"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="-1 div 4"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="123456789"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="0.5"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1.0"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 div 64"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
