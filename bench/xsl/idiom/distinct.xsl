<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- each value once, without a key -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="list/item[not(@key = preceding-sibling::item/@key)]"><xsl:value-of select="@key"/>,</xsl:for-each>
</xsl:template>
</xsl:stylesheet>
