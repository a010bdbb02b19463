<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="string-length('')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string-length('abc')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string-length()"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string-length(/r/c)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string-length('日本')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
