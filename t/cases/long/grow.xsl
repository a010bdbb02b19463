<!-- Long strings made piece by piece, at either end: every step leaves the strings of the steps before as they are -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:variable name="behind"><xsl:call-template name="behind"/></xsl:variable>
    <xsl:variable name="before"><xsl:call-template name="before"/></xsl:variable>
    <xsl:variable name="fragment"><xsl:call-template name="fragment"/></xsl:variable>
    <xsl:variable name="result"><xsl:call-template name="result"/></xsl:variable>
    <xsl:variable name="two"><xsl:call-template name="two"/></xsl:variable>
    <xsl:variable name="both"><xsl:call-template name="both"/></xsl:variable>
    <xsl:value-of select="concat(string-length($behind), ' ', $behind = $before, $behind = $fragment, $behind = $result, $two = concat($behind, '|', $behind),
                                 ' ', string-length($both), ' ', substring($both, 1, 12), ' ', substring($both, string-length($both) - 11))"/>
    <!-- one string made longer in several ways -->
    <xsl:variable name="a" select="concat($behind, 'A')"/>
    <xsl:variable name="b" select="concat($a, 'B')"/>
    <xsl:variable name="c" select="concat($b, 'C')"/>
    <xsl:variable name="d" select="concat($b, 'DD')"/>
    <xsl:variable name="e" select="concat($c, 'E', $c)"/>
    <xsl:variable name="f" select="concat('F', $b)"/>
    <xsl:variable name="g" select="concat('G', $f, 'G')"/>
    <xsl:variable name="h" select="concat('HH', $f, '')"/>
    <xsl:variable name="i"><xsl:value-of select="$b"/>I<xsl:value-of select="$b"/></xsl:variable>
    <xsl:variable name="j" select="concat(substring-after($c, ';'), 'J')"/>
    <xsl:for-each select="(//*)[position() &lt;= 10]">
      <xsl:variable name="s" select="substring(concat($a, '#', $b, '#', $c, '#', $d, '#', $e, '#', $f, '#', $g, '#', $h, '#', $i, '#', $j, '#'), 1)"/>
      <xsl:variable name="v"><xsl:call-template name="nth"><xsl:with-param name="s" select="$s"/><xsl:with-param name="n" select="position()"/></xsl:call-template></xsl:variable>
      <xsl:value-of select="concat('&#10;', substring('abcdefghij', position(), 1), ' ', string-length($v), ' ', substring($v, 1, 5), ' ', substring($v, string-length($v) - 5))"/>
    </xsl:for-each>
  </xsl:template>
  <xsl:template name="nth">
    <xsl:param name="s"/>
    <xsl:param name="n"/>
    <xsl:choose>
      <xsl:when test="$n > 1"><xsl:call-template name="nth"><xsl:with-param name="s" select="substring-after($s, '#')"/><xsl:with-param name="n" select="$n - 1"/></xsl:call-template></xsl:when>
      <xsl:otherwise><xsl:value-of select="substring-before($s, '#')"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
  <xsl:template name="behind">
    <xsl:param name="n" select="1"/>
    <xsl:param name="s"/>
    <xsl:choose>
      <xsl:when test="$n &lt;= 1500"><xsl:call-template name="behind"><xsl:with-param name="n" select="$n + 1"/><xsl:with-param name="s" select="concat($s, 'item ', $n, ';')"/></xsl:call-template></xsl:when>
      <xsl:otherwise><xsl:value-of select="$s"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
  <xsl:template name="before">
    <xsl:param name="n" select="1500"/>
    <xsl:param name="s"/>
    <xsl:choose>
      <xsl:when test="$n"><xsl:call-template name="before"><xsl:with-param name="n" select="$n - 1"/><xsl:with-param name="s" select="concat('item ', $n, ';', $s)"/></xsl:call-template></xsl:when>
      <xsl:otherwise><xsl:value-of select="$s"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
  <xsl:template name="both">
    <xsl:param name="n" select="1"/>
    <xsl:param name="s"/>
    <xsl:choose>
      <xsl:when test="$n &lt;= 1500"><xsl:call-template name="both"><xsl:with-param name="n" select="$n + 1"/><xsl:with-param name="s" select="concat($n, ',', $s, ';', $n)"/></xsl:call-template></xsl:when>
      <xsl:otherwise><xsl:value-of select="$s"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
  <xsl:template name="fragment">
    <xsl:param name="n" select="1"/>
    <xsl:param name="s"/>
    <xsl:choose>
      <xsl:when test="$n &lt;= 1500">
        <xsl:call-template name="fragment">
          <xsl:with-param name="n" select="$n + 1"/>
          <xsl:with-param name="s"><xsl:value-of select="$s"/><xsl:if test="$n">item </xsl:if><xsl:value-of select="$n"/>;</xsl:with-param>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$s"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
  <!-- on the way back -->
  <xsl:template name="result">
    <xsl:param name="n" select="1"/>
    <xsl:if test="$n &lt;= 1500">
      <xsl:variable name="rest"><xsl:call-template name="result"><xsl:with-param name="n" select="$n + 1"/></xsl:call-template></xsl:variable>
      <xsl:value-of select="concat('item ', $n, ';', $rest)"/>
    </xsl:if>
  </xsl:template>
  <!-- two in turns -->
  <xsl:template name="two">
    <xsl:param name="n" select="1"/>
    <xsl:param name="s"/>
    <xsl:param name="t"/>
    <xsl:choose>
      <xsl:when test="$n &lt;= 1500">
        <xsl:call-template name="two">
          <xsl:with-param name="n" select="$n + 1"/>
          <xsl:with-param name="s" select="concat($s, 'item ', $n, ';')"/>
          <xsl:with-param name="t" select="concat('item ', 1501 - $n, ';', $t)"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="concat($s, '|', $t)"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
