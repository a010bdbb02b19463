<!-- positions among what a search finds, for each parent of what is found: /t/g/r[@k = $k][1], //r[@k = $k][last()]: of one tree, what needs no host step -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:for-each select="//r">
      <xsl:variable name="k" select="@k"/>
      <xsl:variable name="p" select="position()"/>
      <xsl:for-each select="/t/g/r[@k = $k][1]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/g/r[@k = current()/@k][last()]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/g/r[@k = $k][position() &gt; 1]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/g/r[@v &gt; current()/@v][2][@k]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/g/r[starts-with(@v, current()/@v)][last()]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/*/r[@k = $k][@v &gt; 2][position() = last() - 1 or position() = $p]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/r[@k = $k][1]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each>;<xsl:text/>
      <xsl:for-each select="//r[@k = $k][1]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="//r[@k = $k][last()]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="//r[@k = $k and @v &gt; 3][position() = 2]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="//r[contains(@v, $p)][1]/r[@k = $k][1]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="//r[@v &lt; current()/@v][last()]/ancestor::r[@k = $k][1]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="//g//r[@k = $k][$p]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each>,<xsl:text/>
      <xsl:value-of select="concat(//r[@k = $k][2]/@v, '-', count(//r[@k = $k][1]), '-', sum(//r[@k = $k][1][@v &gt; 1]/@v), '-', boolean(/t/g/r[@k = $k][3]), '-', //r[@k = $k][1])"/>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
