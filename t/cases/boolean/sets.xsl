<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="/r/n = 0"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/n = '0'"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/n != 0"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/z = /r/z"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/z != /r/n"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/n = true()"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/z = false()"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/* = ''"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/* != ''"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/n &gt; -1"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 &gt; /r/n"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/n &lt; /r/n"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/n &lt;= /r/n"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
