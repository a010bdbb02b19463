<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <!-- [@v * $n > 10]: numbers between the least and the greatest factor. $n of either sign, 0, and not a number. -->
  <xsl:template match="/">
    <xsl:for-each select="d/r">
      <xsl:value-of select="count(//r[@v * current()/@n &gt; 10])"/>,<xsl:value-of
        select="count(//r[current()/@n * @v &lt;= 0])"/>,<xsl:value-of
        select="count(//r[@v * current()/@n = current()/@v])"/>,<xsl:value-of
        select="count(//r[@v * current()/@n &lt; current()/@v])"/><xsl:text>
</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
