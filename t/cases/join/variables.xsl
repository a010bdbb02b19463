<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <!-- Variables of which each row would have a long list: what is asked of them is asked of their value. Of others, in
       sort keys and loops, and where the list itself is wanted, the variable stays. -->
  <xsl:template match="/">
    <xsl:for-each select="//r">
      <xsl:variable name="o" select="."/>
      <xsl:variable name="more" select="//r[@v &gt; current()/@v]"/>
      <xsl:variable name="other" select="//r[@t != current()/@t]"/>
      <xsl:variable name="both" select="$more[@v &lt;= 3]"/>
      <xsl:variable name="kin" select="$more/x"/>
      <xsl:value-of select="concat(@n, ':', count($more), ',', sum($more/@v), ',', $more/@n, ',',
                                   boolean($more))"/>,<xsl:value-of
        select="count($more[@t = current()/@t])"/>,<xsl:value-of select="count($both)"/>,<xsl:value-of
        select="sum($both/@v)"/>,<xsl:value-of select="count($other)"/>,<xsl:value-of
        select="$other[@v &gt; current()/@v][1]/@n"/>,<xsl:value-of select="sum($kin/@w)"/>,<xsl:value-of
        select="count($kin)"/>,<xsl:value-of select="@v &lt; $more/@v"/>,<xsl:value-of
        select="$more[last()]/@n"/>,<xsl:value-of select="count(. | $more) = count($more)"/>,<xsl:if
        test="$more[@n &gt; 40]"><xsl:value-of select="count($more[@n &gt; 40])"/></xsl:if>,<xsl:choose>
        <xsl:when test="count($both) &gt; 5"><xsl:value-of select="sum($other/@v)"/></xsl:when>
        <xsl:otherwise>-</xsl:otherwise>
      </xsl:choose>,<xsl:for-each select="../r[position() &lt; 4]"><xsl:sort
        select="count($more) + count($both[. = current()])"
        data-type="number"/><xsl:sort select="@v"/><xsl:value-of
        select="concat(@n, '/', count($more), ' ')"/></xsl:for-each>
      <xsl:variable name="again" select="$more[@v &gt; $o/@n]"/>
      <xsl:for-each select="x"><xsl:value-of select="count($again)"/>.</xsl:for-each>
      <xsl:variable name="before" select="preceding::r"/>
      <xsl:variable name="behind" select="following-sibling::r"/>
      <xsl:value-of select="concat(count($before), ',', sum($before/@v), ',', count($before[@t = current()/@t]), ',')"/>
      <xsl:value-of select="concat($behind[@v &gt; current()/@v][1]/@n, ',', not($behind/@v &gt; @v), ',',
                                   $behind/@n)"/>
      <xsl:variable name="unused" select="//r[@v &lt; current()/@v]"/><xsl:text>
</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
