<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:v="urn:v">
<xsl:param name="v:param">default</xsl:param>
<xsl:variable name="late" select="$v:param"/>
<xsl:variable name="global"><a/></xsl:variable>
<xsl:variable name="empty"/>
<!-- hops to the body that has the variable; a variable may come back in a sibling -->
<xsl:template match="a">
  <xsl:variable name="one" select="1"/>
  <xsl:for-each select="b">
    <xsl:variable name="two" select="$one"/>
    <xsl:if test="$two"><xsl:value-of select="$one + $two + $late"/></xsl:if>
    <i><xsl:variable name="three" select="3"/><xsl:value-of select="$three"/></i>
    <j><xsl:variable name="three" select="@three"/><xsl:value-of select="$three"/></j>
  </xsl:for-each>
</xsl:template>
<!-- which fragments need a string, which are text only -->
<xsl:template match="b">
  <xsl:variable name="copied"><a/></xsl:variable>
  <xsl:variable name="used"><a/></xsl:variable>
  <xsl:variable name="text">x<xsl:value-of select="."/><xsl:if test="a">y</xsl:if></xsl:variable>
  <xsl:variable name="called"><xsl:call-template name="text"/></xsl:variable>
  <xsl:variable name="applied"><xsl:apply-templates/></xsl:variable>
  <xsl:variable name="says"><xsl:message/>x</xsl:variable>
  <xsl:variable name="raw"><xsl:text disable-output-escaping="yes">&lt;</xsl:text></xsl:variable>
  <xsl:copy-of select="$copied"/><xsl:copy-of select=" $used "/><xsl:copy-of select="concat($used, '')"/>
  <xsl:value-of select="$text"/>
</xsl:template>
<!-- position() and last() of a called template are the caller's, of a for-each its own -->
<xsl:template match="c"><xsl:call-template name="position"/></xsl:template>
<xsl:template match="d"><xsl:for-each select="a"><xsl:call-template name="position"/></xsl:for-each></xsl:template>
<xsl:template match="e"><xsl:variable name="p"><xsl:if test="a"><xsl:value-of select="last()"/></xsl:if></xsl:variable></xsl:template>
<xsl:template match="f"><xsl:apply-templates select="a[position() = 2]"><xsl:sort select="position()"/></xsl:apply-templates></xsl:template>
<xsl:template name="position"><xsl:value-of select="position()"/></xsl:template>
<xsl:template name="text"><xsl:param name="n"/>z<xsl:if test="$n"><xsl:call-template name="text"/></xsl:if></xsl:template>
</xsl:stylesheet>
