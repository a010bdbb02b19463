<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- totals of what stands before a node -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="//row | //@k | //tag | /"><xsl:value-of select="concat(sum(preceding-sibling::row/@v), ' ', sum(preceding-sibling::*/@v), ' ', sum(preceding-sibling::row/tag), ' ', sum(preceding-sibling::tag), ' ',
      sum(preceding-sibling::*/row/@v), ' ', sum(preceding-sibling::node()), ' ', sum((. | ..)/preceding-sibling::row/@v), ' ', sum(preceding-sibling::row[1]/@v), ' ', sum(../preceding-sibling::row/@v), '&#10;')"/></xsl:for-each>
  <!-- records, and what is counted of those before and behind; also of attributes and of the root, which have none -->
  <xsl:for-each select="//row | //@k | //tag | /"><xsl:value-of select="concat(@v &lt; preceding-sibling::row/@v, ' ', preceding-sibling::*/@v &lt;= @v, ' ', 3 > following-sibling::*//@v, ' ',
      following-sibling::row[@k]/@v >= preceding-sibling::*[tag]/@v, ' ', @k != following-sibling::*/@k, ' ', preceding-sibling::node() = position(), ' ', following-sibling::*/@v = true(), ' ',
      count(preceding-sibling::*[@v > 3][@k]), ' ', count(following-sibling::*[tag]//@v), ' ', sum(following-sibling::row/@v), ' ', count(following-sibling::row[@v > /r/other/@v]/tag[1]), '&#10;')"/></xsl:for-each>
  <!-- sets that share no node -->
  <xsl:for-each select="//row | //@k | //tag | /"><xsl:value-of select="concat(count(preceding::* | ancestor::*), ' ', count(ancestor-or-self::row | following::row), ' ', count(ancestor::node() | .//node() | preceding::tag/node()), ' ',
      count(. | preceding-sibling::row), ' ', count(@* | ancestor::*/@*), ' ', count(ancestor::* | self::row | following-sibling::row[@k][1] | preceding::tag[2]), ' ', sum(preceding-sibling::row/@v | @v), ' ',
      sum(. | preceding-sibling::*), ' ', sum(@v | preceding-sibling::row[tag]/@v | following-sibling::*/@v), ' ', sum(tag | preceding-sibling::row/tag), '&#10;')"/></xsl:for-each>
  <xsl:for-each select="//row"><xsl:sort select="@v" data-type="number" order="descending"/><xsl:value-of select="concat(sum(preceding-sibling::row/@v), ' ')"/></xsl:for-each>
</xsl:template>
</xsl:stylesheet>
