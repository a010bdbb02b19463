<!-- = and != of sets too large to compare each pair: both of a row, one for all rows, one row -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="r/g">
    <xsl:value-of select="concat(@n, ' ', i = j, ' ', j = i, ' ', i != j, ' ', i = //j, ' ', //i = j, ' ', i = //k, ' ', //k = j, ' ', i = following-sibling::g/j, ' ', i[. = 'none'] = //j)"/>
    <xsl:text>&#10;</xsl:text>
  </xsl:for-each>
  <xsl:value-of select="concat(//i = //j, ' ', //j = //k, ' ', //g[@n &lt; 2]/i = //g[@n &lt; 2]/j, ' ', count(//g[i = j]), ' ', count(//g[i = //g[@n = 3]/j]))"/>
  <xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
