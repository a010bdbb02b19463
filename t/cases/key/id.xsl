<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="name(id('b'))"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(id('a b'))"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(id('zz'))"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="id('a')/@id"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(id(//ref))"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(id(' a  a '))"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="id('b')/@n"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
