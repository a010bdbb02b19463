<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- the records of a value, without a key -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="//item[not(@key = preceding::item/@key)]">
    <xsl:value-of select="@key"/>: <xsl:value-of select="sum(//item[@key = current()/@key]/value)"/>,
  </xsl:for-each>
</xsl:template>
</xsl:stylesheet>
