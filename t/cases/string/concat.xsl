<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="concat('a','b')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="concat('a',1,true())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="concat(/r/a,'-',/r/n)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="concat('','')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
