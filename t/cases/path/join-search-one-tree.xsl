<!-- starts-with() and contains() of something of a set's nodes and something of the row's, in either order: in sets that rows share: of one tree, what needs no host step -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:variable name="all" select="//r"/>
  <xsl:variable name="both" select="//r"/>
  <xsl:template match="/">
    <xsl:for-each select="//r">
      <xsl:variable name="k" select="@k"/>
      <xsl:variable name="fragment"><xsl:value-of select="@k"/></xsl:variable>
      <xsl:for-each select="//r[starts-with(@s, $k)]"><xsl:value-of select="@v"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="//r[starts-with(current()/@s, @k)]"><xsl:value-of select="@v"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="$all[contains(@s, $k)]"><xsl:value-of select="@v"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="$all[contains(current()/@s, @k)]"><xsl:value-of select="@v"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="../r[contains(n, $fragment)]"><xsl:value-of select="@v"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/r[contains(., current()/n)]"><xsl:value-of select="@v"/></xsl:for-each>,<xsl:text/>
      <xsl:value-of select="count(/t/*/r[contains(concat('-', @s, '-'), concat('h-', $k))])"/>,<xsl:text/>
      <xsl:value-of select="concat(boolean(/t/r[starts-with(@s, concat($k, 'c'))]), not(//r[starts-with($k, @s)]))"/>,<xsl:text/>
      <xsl:for-each select="//r[starts-with(@s, $k) and @v &gt; current()/@v]"><xsl:value-of select="@v"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="//r[contains(@s, $k) and starts-with(@s, $k) and n]"><xsl:value-of select="@v"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="//r[contains(@s, $k)][@v &lt; current()/@v]"><xsl:value-of select="@v"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="$both[starts-with(@s, $k)][2]"><xsl:value-of select="@v"/></xsl:for-each>,<xsl:text/>
      <xsl:value-of select="sum($all[starts-with(@v, current()/@v)]/@v) + count($both[contains($k, @k)])"/>,<xsl:text/>
      <xsl:value-of select="count(//n[contains(., string($k))]) + count(//@s[starts-with(., $k)]) + count(//r[starts-with(@v, position())])"/>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each>
    <xsl:for-each select="$both">
      <xsl:for-each select="/*/r[starts-with(@s, current()/@k)] | /r[starts-with(@s, current()/@k)]"><xsl:value-of select="@v"/></xsl:for-each>,<xsl:text/>
    </xsl:for-each>
    <xsl:text>&#10;</xsl:text>
  </xsl:template>
</xsl:stylesheet>
