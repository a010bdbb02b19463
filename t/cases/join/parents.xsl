<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <!-- Positions count the nodes of each parent: the first few and the last of what an order finds. Some rows are in rows. -->
  <xsl:template match="/">
    <xsl:for-each select="//r">
      <xsl:value-of select="//r[@w &gt; current()/@w][last()]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[@w &gt; current()/@w][last()])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[@w &gt; current()/@w][1])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="//g/r[@w &lt;= current()/@w][3]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="sum(//r[@w &lt; current()/@w][position() &lt; 3]/@w)"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[@v != current()/@v][1])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="//r[@s != current()/@s][last()]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//*[@w &gt; current()/@w][2])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r/r[@w &gt; current()/@w][1])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(/d/g/r[@w &gt; current()/@w and @v &lt; 6][last()])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="sum(//g/*[@w &gt; current()/@w][last()]/@w)"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//t[. &gt; current()/@w][1])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[@w &gt; current()/@w][position() &gt; 1 and position() &lt; 4][@k = 'a'])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="//g/r[@w &gt; current()/@w][2][@k = 'a']/@id"/><xsl:text>; </xsl:text>
      <xsl:for-each select="//r[@w &gt; current()/@w][last()]"><xsl:value-of select="@id"/>,</xsl:for-each>
      <xsl:for-each select="//r[@w != current()/@w][1]"><xsl:value-of select="@id"/>.</xsl:for-each><xsl:text>
</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
