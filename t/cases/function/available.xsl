<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="element-available('xsl:if')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="element-available('xsl:nosuch')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="function-available('concat')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="function-available('key')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="function-available('nosuch')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="element-available('if')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
