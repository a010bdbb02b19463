<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="ceiling(2.2)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="ceiling(-2.5)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="ceiling(2)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="ceiling('x')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 div ceiling(-0.5)"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
