<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <!-- [@v div $n > 2]: numbers between the least and the greatest. [$n div @v > 2]: the same of the places of 1 div @v.
       Divisors of either sign, of either zero, infinite, and not a number. -->
  <xsl:template match="/">
    <xsl:for-each select="d/r">
      <xsl:value-of select="count(//r[@v div current()/@n &gt; 2])"/>,<xsl:value-of
        select="count(//r[current()/@n div @v &lt;= 0])"/>,<xsl:value-of
        select="count(//r[@v div current()/@n &lt;= 0])"/>,<xsl:value-of
        select="count(//r[@v div current()/@n = current()/@v])"/>,<xsl:value-of
        select="count(//r[current()/@n div @v = current()/@v])"/>,<xsl:value-of
        select="count(//r[@v div current()/@n &lt; current()/@v])"/>,<xsl:value-of
        select="count(//r[current()/@n div @v &gt; current()/@v])"/>,<xsl:value-of
        select="count(//r[current()/@n div @v != number(current()/@v)])"/>,<xsl:value-of
        select="count(//r[@v div (1 div current()/@n) &gt;= 0])"/>,<xsl:value-of
        select="count(//r[1 div current()/@n div @v &gt;= 0])"/>,<xsl:value-of
        select="count(//r[1 div current()/@n div @v &lt; 1 div current()/@v])"/><xsl:text>
</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
