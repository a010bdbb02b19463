<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<!-- what is left of several callers' lists, each list where it is: in parts, a row each -->
<xsl:template name="rest">
  <xsl:param name="s"/>
  <xsl:if test="$s">
    <xsl:value-of select="concat($s[1]/@k, ' ')"/>
    <xsl:call-template name="rest"><xsl:with-param name="s" select="$s[position() > 1]"/></xsl:call-template>
  </xsl:if>
</xsl:template>
<xsl:template match="/r">
  <xsl:variable name="all" select="n"/>
  <xsl:for-each select="n[position() &lt;= 3]">
    <xsl:call-template name="rest"><xsl:with-param name="s" select="$all[@k >= current()/@k]"/></xsl:call-template>
    <xsl:text>&#10;</xsl:text>
  </xsl:for-each>
</xsl:template>
</xsl:stylesheet>
