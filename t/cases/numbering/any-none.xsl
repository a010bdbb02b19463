<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- 7.7: level="any" "constructs a list of length one containing the number of nodes that match": also when that is 0 -->
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:for-each select="//i"><xsl:number level="any" count="b" from="c"/>,</xsl:for-each>
    <xsl:for-each select="//i"><xsl:number level="single" count="none" format="(1)"/>,</xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
