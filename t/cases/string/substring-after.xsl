<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="substring-after('1999/04/01','/')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring-after('1999/04/01','19')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring-after('abc','x')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring-after('abc','')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring-after('','a')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
