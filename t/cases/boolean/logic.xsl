<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="true() and false()"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="true() or false()"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="not(true())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 and 'a'"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="0 or ''"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/a and /r/z"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="true() or 1 div 0"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="false() or true() and false()"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="not(/r/z)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 = 1 and 2 = 2"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
