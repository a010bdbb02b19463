<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:for-each select="//s">[<xsl:number level="multiple" count="s" from="s[@from]" format="1.1"/>]</xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
