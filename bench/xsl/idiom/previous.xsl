<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- the record before, or a change of value -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="list/item">
    <xsl:if test="not(@key = preceding-sibling::item[1]/@key)"><xsl:value-of select="@key"/>,</xsl:if>
  </xsl:for-each>
</xsl:template>
</xsl:stylesheet>
