<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <!-- Both sides ask node and row: sums that are rounded, infinite or no numbers, operators around them, squares,
       strings of several parts. -->
  <xsl:template match="/">
    <xsl:for-each select="d/r">
      <xsl:value-of select="count(//r[@v + current()/@w = @w + current()/@v])"/>,<xsl:value-of
        select="count(//r[@v - current()/@v &gt; @w - current()/@w])"/>,<xsl:value-of
        select="count(//r[@v + current()/@w &lt;= current()/@v - @w])"/>,<xsl:value-of
        select="count(//r[(@v * 0.1 + current()/@v) div 3 &lt; @w])"/>,<xsl:value-of
        select="count(//r[@v + current()/@w != @w * 2 - current()/@v])"/>,<xsl:value-of
        select="count(//r[(@v - current()/@v) * 0.1 &gt; 0.3])"/>,<xsl:value-of
        select="count(//r[1 - (@v + current()/@v) &gt;= 0.5])"/>,<xsl:value-of
        select="count(//r[floor((@v - current()/@v) div 2) = 1])"/>,<xsl:value-of
        select="count(//r[-round(@v - current()/@v) != 2])"/>,<xsl:value-of
        select="count(//r[(@v - current()/@v) * (@v - current()/@v) &lt; 4])"/>,<xsl:value-of
        select="count(//r[(@v - current()/@v) * (@v - current()/@v) &gt;= 9])"/>,<xsl:value-of
        select="count(//r[(@v - current()/@v) * (@v - current()/@v) + (@w - current()/@w) * (@w - current()/@w)
                          &lt;= 5])"/>,<xsl:value-of
        select="count(//r[concat(@s, current()/@t) = concat(current()/@s, @t)])"/>,<xsl:value-of
        select="count(//r[concat(current()/@t, @s, current()/@s) != concat(@t, 'a', current()/@s, @s)])"/>,<xsl:value-of
        select="count(//r[@v != current()/@v and @w != current()/@w])"/>,<xsl:value-of
        select="count(//r[contains(concat(@s, @t), current()/@t)])"/>,<xsl:value-of
        select="count(//r[count(@* | current()/@*) = 10])"/>,<xsl:value-of
        select="count(//r[count(current()/@v | @v) &lt; 2])"/>,<xsl:value-of
        select="//r[@v + current()/@w &gt; @w + current()/@v][1]/@n"/><xsl:text>
</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
