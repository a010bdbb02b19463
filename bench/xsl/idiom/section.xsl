<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- what stands between a heading and the next -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="list/head">
    <xsl:value-of select="."/>: <xsl:value-of select="count(following-sibling::item[generate-id(preceding-sibling::head[1]) = generate-id(current())])"/>,
  </xsl:for-each>
</xsl:template>
</xsl:stylesheet>
