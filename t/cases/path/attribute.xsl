<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="//d/@i"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//@*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="//d/@*[2]"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//d/attribute::j)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="name(//@j)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//@i/..)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//@j/self::node())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//@j/self::*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//@j/node())"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//d/@i/../@j)"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
