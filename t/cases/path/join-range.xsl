<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- nodes between two bounds that each row has: both comparisons together, of numbers, what is none, sets of several nodes and of none -->
  <xsl:output method="text"/>
  <xsl:param name="limit" select="'6'"/>
  <xsl:template match="/">
    <xsl:variable name="all" select="/t/e"/>
    <xsl:for-each select="/t/s">
      <xsl:variable name="a" select="@t"/>
      <xsl:variable name="b" select="@t + 2"/>
      <xsl:variable name="several" select="@t | @u"/>
      <xsl:variable name="truth" select="@t = 2"/>
      <xsl:value-of select="concat(@t, '/', @u)"/>
      <xsl:text> 1:</xsl:text><xsl:for-each select="//e[@from &lt;= current()/@t and @to &gt;= current()/@t]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> 2:</xsl:text><xsl:value-of select="count($all[@from &lt; $b and $a &lt; @to])"/>
      <xsl:text> 3:</xsl:text><xsl:for-each select="$all[@from &gt; $a][@from &lt; $b]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> 4:</xsl:text><xsl:for-each select="$all[@* &gt;= $several and @* &lt; $several]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> 5:</xsl:text><xsl:for-each select="$all[@from &gt;= $a and @to &lt;= $limit and @n != 'c']"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> 6:</xsl:text><xsl:for-each select="$all[@from &gt; -1 div 0 and @from &lt; $a]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> 7:</xsl:text><xsl:for-each select="$all[@from &gt;= $truth and @to &gt; $a]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> 8:</xsl:text><xsl:if test="//e[@from &gt; current()/@t and @to &lt; current()/@u]">some</xsl:if>
      <xsl:text> 9:</xsl:text><xsl:value-of select="sum($all[@from &lt;= $a and @to &gt; $a and @n = 'b']/@to)"/>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
