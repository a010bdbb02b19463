<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="normalize-space('  a   b ')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="normalize-space('')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="normalize-space('   ')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="normalize-space(/r/b)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="concat('[',normalize-space('&#9;&#10;&#13; x&#9;y '),']')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
