<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="number('12')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number(' 12 ')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number('-12.5')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number('.5')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number('5.')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number('abc')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number('')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number('1e3')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number('+1')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number(true())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number(false())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number(/r/n[2])"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number()"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number('- 1')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="number('--1')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
