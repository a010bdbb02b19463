<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- a running sum -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="list/item">
    <xsl:value-of select="sum(preceding-sibling::item/value) + value"/>,
  </xsl:for-each>
</xsl:template>
</xsl:stylesheet>
