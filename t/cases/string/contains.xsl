<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="contains('abc','bc')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="contains('abc','')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="contains('abc','d')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="contains(/r/u,'€')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="contains('ab','abc')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
