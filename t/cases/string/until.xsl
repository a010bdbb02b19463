<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- substring-before(concat(s, t), t): what stands before the first t, or all -->
<xsl:output method="text"/>
<xsl:variable name="dash" select="'&#x2014;'"/>
<xsl:template match="/">
  <xsl:for-each select="//text | //text/@*">
    <xsl:variable name="t" select="string(../@t)"/>
    <xsl:variable name="u" select="../@t"/>
    <xsl:value-of select="concat('[', substring-before(concat(., ' '), ' '), '|', substring-before(concat(., ', '), ', '))"/>
    <xsl:value-of select="concat('|', substring-before(concat(., 'aa'), 'aa'), '|', substring-before(concat(., 'aba'), 'aba'))"/>
    <xsl:value-of select="concat('|', substring-before(concat(., $dash), $dash), '|', substring-before(concat(., $t), $t), '|', substring-before(concat(., $u), $u))"/>
    <xsl:value-of select="concat('|', substring-before(concat(., '-', ., 'x'), 'x'), '|', substring-before(concat(., ' '), ','), '|', substring-before(concat('', ''), ''))"/>
    <xsl:value-of select="concat('|', substring-before(concat(., '0123456789abcdefghijklmnop'), '0123456789abcdefghijklmnop'), ']&#10;')"/>
  </xsl:for-each>
  <xsl:call-template name="words"><xsl:with-param name="s" select="'one two  three '"/></xsl:call-template>
</xsl:template>
<xsl:template name="words">
  <xsl:param name="s"/>
  <xsl:param name="by" select="' '"/>
  <xsl:if test="$s">
    <xsl:value-of select="concat('&lt;', substring-before(concat($s, $by), $by), '&gt;')"/>
    <xsl:call-template name="words"><xsl:with-param name="s" select="substring-after($s, $by)"/></xsl:call-template>
  </xsl:if>
</xsl:template>
</xsl:stylesheet>
