<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- erratum E24: what is no number from 0.5 on is written as string() does; what rounds to 0 counts in decimals, as with libxslt and Saxon -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="//v">
    <xsl:value-of select="."/>: <xsl:number value="."/>|<xsl:number value="." format="001"/>|<xsl:number value="." format="a"/>|<xsl:number value="." format="[I]"/>|<xsl:number value="." format="(1)"/>
    <xsl:text>&#10;</xsl:text>
  </xsl:for-each>
  <xsl:number value="1 div 0" format="[1]"/>|<xsl:number value="-1 div 0"/>|<xsl:number value="0 div 0" format="(a)"/>|<xsl:number value="/none" format="01"/>
</xsl:template>
</xsl:stylesheet>
