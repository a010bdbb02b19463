<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- those of a value that follow -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="list/item">
    <xsl:value-of select="following-sibling::item[@key = current()/@key][1]/value"/>,
  </xsl:for-each>
</xsl:template>
</xsl:stylesheet>
