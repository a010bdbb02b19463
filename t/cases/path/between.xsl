<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- position() beside values of the frame: of a variable, a parameter of any type, current(); on sets that rows share, and on each row's own -->
  <xsl:output method="text"/>
  <xsl:param name="size" select="2"/>
  <xsl:template match="/">
    <xsl:variable name="all" select="/t/r"/>
    <xsl:for-each select="/t/q">
      <xsl:variable name="a" select="number(@a)"/>
      <xsl:variable name="b" select="@b"/>
      <xsl:variable name="several" select="@*"/>
      <xsl:variable name="truth" select="@a = 2"/>
      <xsl:variable name="string" select="string(@b)"/>
      <xsl:value-of select="concat(@a, ' ', @b)"/>
      <xsl:text> all:</xsl:text><xsl:for-each select="$all[position() &gt; $a and position() &lt;= $b]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> ge:</xsl:text><xsl:for-each select="$all[position() &gt;= $a]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> lt:</xsl:text><xsl:for-each select="/t/r[$string &gt; position()]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> page:</xsl:text><xsl:for-each select="/t/r[(position() &gt; (current()/@a - 1) * $size) and (position() &lt; current()/@a * $size + 1)]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> some:</xsl:text><xsl:for-each select="$all[position() &gt; $several]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> any:</xsl:text><xsl:for-each select="$all[position() &lt; $several]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> truth:</xsl:text><xsl:for-each select="$all[position() &lt;= $truth]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> none:</xsl:text><xsl:value-of select="count($all[position() &gt; $a and position() &lt; $a])"/>
      <xsl:text> before:</xsl:text><xsl:for-each select="preceding-sibling::*[position() &lt;= $b]"><xsl:value-of select="name()"/><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> odd:</xsl:text><xsl:for-each select="/t/r[@n mod 2 = 1][position() &gt;= $a][position() &lt; $b][@n != 9]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> parents:</xsl:text><xsl:for-each select="//x[position() &lt;= $a]"><xsl:value-of select="@n"/></xsl:for-each>
      <xsl:text> last:</xsl:text><xsl:value-of select="$all[position() &lt;= $b][last()]/@n"/>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each>
    <xsl:call-template name="sum"><xsl:with-param name="set" select="$all/@n"/></xsl:call-template>
    <xsl:text>&#10;</xsl:text>
    <xsl:value-of select="count($all[position() &lt;= 100000])"/>
    <xsl:value-of select="count($all[position() &gt;= -1 div 0 and position() &lt; 1 div 0])"/>
  </xsl:template>
  <xsl:template name="sum">
    <xsl:param name="set"/>
    <xsl:variable name="half" select="count($set) div 2"/>
    <xsl:choose>
      <xsl:when test="count($set) &lt; 2"><xsl:value-of select="sum($set)"/></xsl:when>
      <xsl:otherwise>
        <xsl:text>(</xsl:text>
        <xsl:call-template name="sum"><xsl:with-param name="set" select="$set[position() &lt;= $half]"/></xsl:call-template>
        <xsl:text>+</xsl:text>
        <xsl:call-template name="sum"><xsl:with-param name="set" select="$set[position() &gt; $half]"/></xsl:call-template>
        <xsl:text>)</xsl:text>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
