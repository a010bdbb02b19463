<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="count(/r/n)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(/nosuch)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(/r/n | /r/x | /r/n)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//text())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(/)"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
