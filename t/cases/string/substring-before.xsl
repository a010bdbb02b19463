<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="substring-before('1999/04/01','/')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring-before('abc','x')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring-before('abc','')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring-before('aéb','b')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
