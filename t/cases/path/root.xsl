<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="count(/)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//d/ancestor::node())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="name(/*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="name(/)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string-length(/)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(/..)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//b[/r/e])"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(/r[//d])"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
