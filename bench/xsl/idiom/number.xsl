<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- a running number by counting what stands before -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="list/item">
    <xsl:value-of select="count(preceding-sibling::item) + 1"/>,
  </xsl:for-each>
</xsl:template>
</xsl:stylesheet>
