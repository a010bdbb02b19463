<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- [$i] where $i is a parameter: a number is a position, anything else a condition; steps of a loop use what is the same for all of them -->
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:for-each select="/t/r">
      <xsl:call-template name="at"><xsl:with-param name="i" select="position()"/></xsl:call-template>
      <xsl:call-template name="at"><xsl:with-param name="i" select="@n mod 2 = 0"/></xsl:call-template>
      <xsl:call-template name="at"><xsl:with-param name="i" select="string(@s)"/></xsl:call-template>
      <xsl:call-template name="at"><xsl:with-param name="i" select="@s"/></xsl:call-template>
      <xsl:call-template name="at"><xsl:with-param name="i"><xsl:value-of select="@n"/></xsl:with-param></xsl:call-template>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each>
    <xsl:call-template name="loop"><xsl:with-param name="i" select="1"/></xsl:call-template>
  </xsl:template>
  <xsl:template name="at">
    <xsl:param name="i"/>
    <xsl:variable name="all" select="/t/r"/>
    <xsl:for-each select="/t/r[$i]"><xsl:value-of select="@n"/></xsl:for-each>
    <xsl:text>,</xsl:text>
    <xsl:for-each select="$all[$i]/x"><xsl:value-of select="."/></xsl:for-each>
    <xsl:text>,</xsl:text>
    <xsl:for-each select="(//x)[$i]"><xsl:value-of select="."/></xsl:for-each>
    <xsl:text>,</xsl:text>
    <xsl:for-each select="preceding-sibling::r[$i]"><xsl:value-of select="@n"/></xsl:for-each>
    <xsl:text>,</xsl:text>
    <xsl:value-of select="count(//x[$i])"/>
    <xsl:value-of select="//r[@n &gt; 1][$i][last()]/@n"/>
    <xsl:text>; </xsl:text>
  </xsl:template>
  <xsl:template name="loop">
    <xsl:param name="i"/>
    <xsl:if test="$i &lt;= count(/t/r)">
      <xsl:value-of select="concat(/t/r[$i]/@n, ' ', sum(/t/r/@n), ' ', count(//x[. &gt; $i]), ' ', count(//r/@s), ' ', key('n', $i)/@n, ' ')"/>
      <xsl:call-template name="loop"><xsl:with-param name="i" select="$i + 1"/></xsl:call-template>
    </xsl:if>
  </xsl:template>
  <xsl:key name="n" match="r" use="@n"/>
</xsl:stylesheet>
