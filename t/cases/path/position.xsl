<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="count(//*[position()=1])"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/a[2]/@i"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/*[position()&gt;1][1]/@i"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(/r/*[last()=3])"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="//d[position()=last()]/@i"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/r/a[last()]/b/@i"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
