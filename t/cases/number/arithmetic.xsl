<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="1+2"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 - 2"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="2*3"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="7 div 2"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="7 mod 2"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="-7 mod 2"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="7 mod -2"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="5 mod 1.5"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 div 3 * 3"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="- - 3"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="2+3*4"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="(2+3)*4"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 - 2 - 3"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="0.1+0.2 = 0.3"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 mod 0"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="8 div 2 div 2"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
