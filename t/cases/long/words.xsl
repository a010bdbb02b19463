<!-- Words taken off a long string: no step copies what is left -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:variable name="n8" select="'one two  three four five six seven eight '"/>
  <xsl:variable name="n64" select="concat($n8, $n8, $n8, $n8, $n8, $n8, $n8, $n8)"/>
  <xsl:variable name="n512" select="concat($n64, $n64, $n64, $n64, $n64, $n64, $n64, $n64)"/>
  <xsl:variable name="all" select="concat($n512, $n512)"/>
  <xsl:template match="/">
    <xsl:variable name="one"><xsl:call-template name="one"><xsl:with-param name="rest" select="$all"/></xsl:call-template></xsl:variable>
    <xsl:variable name="two"><xsl:call-template name="two"><xsl:with-param name="rest" select="$all"/></xsl:call-template></xsl:variable>
    <xsl:variable name="many"><xsl:call-template name="two"><xsl:with-param name="rest" select="concat($all, 'nine')"/><xsl:with-param name="end" select="' .'"/></xsl:call-template></xsl:variable>
    <xsl:value-of select="concat(string-length($one), ' ', string-length($two), ' ', string-length($many), ' ', $one = normalize-space(translate($two, '.', ' ')), ' ',
        substring($one, 1, 40), substring($two, 1, 40), substring($many, string-length($many) - 20))"/>
  </xsl:template>
  <xsl:template name="one">
    <xsl:param name="rest"/>
    <xsl:if test="$rest">
      <xsl:value-of select="substring-before(concat($rest, ' '), ' ')"/>
      <xsl:if test="substring($rest, 2)">,</xsl:if>
      <xsl:call-template name="one"><xsl:with-param name="rest" select="substring-after($rest, ' ')"/></xsl:call-template>
    </xsl:if>
  </xsl:template>
  <xsl:template name="two">
    <xsl:param name="rest"/>
    <xsl:param name="end" select="' '"/>
    <xsl:variable name="text" select="concat(normalize-space($rest), $end)"/>
    <xsl:if test="string-length($text) > string-length($end)">
      <xsl:value-of select="concat(substring-before($text, ' '), '.')"/>
      <xsl:call-template name="two"><xsl:with-param name="rest" select="substring-after($text, ' ')"/></xsl:call-template>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
