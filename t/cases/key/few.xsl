<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- near.xsl's searches for a few nodes only: in a large document they make no index -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:apply-templates select="(//row)[7]"/>
  <xsl:apply-templates select="(//row)[last() - 2]"/>
  <xsl:for-each select="(//row)[position() = 3 or position() = 9]">
    <xsl:variable name="k" select="@k"/>
    <xsl:value-of select="concat(@v, ': ', count(preceding::row[@k = $k]), ' ', preceding::row[@k = $k][1]/@v, ' ', following::row[@k = $k][1]/@v, ' ', preceding-sibling::*/@k = @k, '&#10;')"/>
  </xsl:for-each>
</xsl:template>
<xsl:template match="row">
  <xsl:variable name="k" select="@k"/>
  <xsl:variable name="r" select="/r"/>
  <xsl:value-of select="concat(@v, ': ', following-sibling::row[string(@k) = $k][1]/@v, ' ', preceding-sibling::row[@k = $k][1]/@v, ' ', preceding-sibling::row[@k = $k]/@v, ' ',
      following::*[@k = $k][2]/@v, ' ', count(../row[concat(@k, 'x') = concat($k, 'x')]), ' ', count(../*[@k = $k and @v &gt; 2]), ' ', tag = preceding::row/tag, ' ',
      count(following::row[tag = current()/tag]), ' ', count($r//row[@k = $k]), ' ', $r/row/@k = 'none', ' ', count(following::none[@k = $k]), '&#10;')"/>
</xsl:template>
</xsl:stylesheet>
