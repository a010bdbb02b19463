<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="substring(/r/u,2,1)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring(/r/u,4)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring(/r/u,5,1)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string-length(/r/u)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string-length(substring(/r/u,5))"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
