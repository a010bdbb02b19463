<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="starts-with('abc','ab')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="starts-with('abc','b')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="starts-with('abc','')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="starts-with('','')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="starts-with('','a')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
