<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="'a'='a'"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="'a'='A'"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="'1'=1"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="'1'&lt;'2'"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="'a'&lt;'b'"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="''=0"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="not('')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="boolean('false')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
