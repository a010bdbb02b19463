<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="'it is &quot;quoted&quot;'"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="&quot;it's&quot;"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="''"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="'a&amp;b'"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="'&lt;'"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
