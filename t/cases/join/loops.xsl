<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <!-- Loops in loops: the inner one's nodes come again for each node of the outer one, and their children are compared
       with something of that. Of axes, what is nearest by one value or another. -->
  <xsl:template match="/">
    <xsl:for-each select="//r">
      <xsl:variable name="o" select="."/>
      <xsl:variable name="t" select="string(@t)"/>
      <xsl:value-of select="@n"/>:<xsl:for-each select="/d/g">
        <xsl:value-of select="count(r[@t = $o/@t])"/>,<xsl:value-of select="r[@v &gt; $o/@v][1]/@n"/>,<xsl:value-of
          select="r[@v &gt; $o/@v][last()]/@n"/>,<xsl:value-of select="sum(r[@v &lt; $o/@v]/@v)"/>,<xsl:value-of
          select="count(r[@t != $t][@n])"/>,<xsl:value-of select="r[@t = $t and @v &gt;= $o/@v][2]/@n"/>,<xsl:value-of
          select="count(.//r[@v = $o/@v or @t = $t])"/>,<xsl:if test="r[@v = $o/@v]">y</xsl:if>,<xsl:value-of
          select="sum(r[@v &gt; $o/@v]/x/@w)"/>;</xsl:for-each>
      <xsl:apply-templates select="/d/g[position() &lt; 3]"><xsl:with-param name="p" select="@v"/></xsl:apply-templates>
      <xsl:value-of select="preceding::r[@t = $t or @v = $o/@v][1]/@n"/>,<xsl:value-of
        select="following-sibling::r[@t = $t or @v = $o/@v][1]/@n"/>,<xsl:value-of
        select="following::r[@v = '2'][@t = $t]/@n"/>,<xsl:value-of
        select="count(//r[count(//r[@v = $o/@v]) &gt; 9])"/>,<xsl:value-of
        select="sum(//r[@v &gt; $o/@v]/x/@w)"/>,<xsl:value-of
        select="count(//r[@v &gt; $o/@v][@t != $t]/x[@w = $o/x/@w])"/><xsl:text>
</xsl:text>
    </xsl:for-each>
  </xsl:template>
  <xsl:template match="g">
    <xsl:param name="p"/>
    <xsl:value-of select="count(r[@v &lt;= $p])"/>.</xsl:template>
</xsl:stylesheet>
