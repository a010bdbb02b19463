<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="count(//node())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//text())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//comment())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//processing-instruction())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//processing-instruction('p'))"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//processing-instruction('z'))"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="//comment()"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="//processing-instruction()"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="name(//processing-instruction())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//b/node())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(/node())"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
