<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="substring-after(unparsed-entity-uri('pic'),'img/')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="unparsed-entity-uri('zz')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
