<!-- What is left of a list: no step of a recursion keeps a copy, so that it takes room for a list, not for its square -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:variable name="ids" select="//*/@* | //*"/>
  <xsl:template match="/">
    <xsl:variable name="all" select="$ids | $ids/text()"/>
    <xsl:call-template name="lengths"><xsl:with-param name="list" select="$all[position() &lt;= 500]"/></xsl:call-template>
    <xsl:text> </xsl:text>
    <xsl:call-template name="lengths"><xsl:with-param name="list" select="$all[1] | $all[last()]"/><xsl:with-param name="sum" select="10"/></xsl:call-template>
    <xsl:text> </xsl:text>
    <xsl:call-template name="most"><xsl:with-param name="list" select="$all[position() &lt;= 500]"/></xsl:call-template>
  </xsl:template>
  <xsl:template name="lengths">
    <xsl:param name="list"/>
    <xsl:param name="sum" select="0"/>
    <xsl:choose>
      <xsl:when test="$list"><xsl:call-template name="lengths"><xsl:with-param name="list" select="$list[position() > 1]"/><xsl:with-param name="sum" select="$sum + string-length(name($list))"/></xsl:call-template></xsl:when>
      <xsl:otherwise><xsl:value-of select="concat($sum, count($list))"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
  <xsl:template name="most">
    <xsl:param name="list"/>
    <xsl:variable name="rest"><xsl:if test="$list[2]"><xsl:call-template name="most"><xsl:with-param name="list" select="$list[position() != 1]"/></xsl:call-template></xsl:if></xsl:variable>
    <xsl:choose>
      <xsl:when test="not($list[2]) or string-length(name($list[1])) > $rest"><xsl:value-of select="string-length(name($list[1]))"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="$rest"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
