<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- how many are less -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="list/item">
    <xsl:value-of select="count(../item[value &lt; current()/value]) + 1"/>,
  </xsl:for-each>
</xsl:template>
</xsl:stylesheet>
