<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- sets of which only the first node is asked for: //x[p][1] is the first of each parent, and its first the first of all -->
<xsl:output method="text"/>
<xsl:key name="k" match="i" use="@k"/>
<xsl:template match="/">
  <xsl:variable name="n" select="3"/>
  <xsl:value-of select="//i[@v = $n][1]/@n"/><xsl:text> </xsl:text>
  <xsl:value-of select="//i[@v = $n][1]"/><xsl:text>|</xsl:text>
  <xsl:value-of select="string(//i[1])"/><xsl:text>|</xsl:text>
  <xsl:value-of select="number(//i[@v = 2][1]/@n) + number(//i[@v > 2][@k = 'b'][1]/@n)"/><xsl:text> </xsl:text>
  <xsl:value-of select="name(//*[@k][1])"/><xsl:text> </xsl:text>
  <xsl:value-of select="local-name(//*[@x][1])"/><xsl:text> </xsl:text>
  <xsl:value-of select="count(//i[@v = $n][1])"/><xsl:text> </xsl:text>
  <xsl:value-of select="//i[@v = $n][2]/@n"/><xsl:text> </xsl:text>
  <xsl:value-of select="string(//i[@v = $n][last()]/@n)"/><xsl:text> </xsl:text>
  <xsl:value-of select="string(//i[2][1]/@n)"/><xsl:text> </xsl:text>
  <xsl:value-of select="string(//i[1][@v = $n]/@n)"/><xsl:text> </xsl:text>
  <xsl:value-of select="string(/r//g//i[@v = $n][1]/@n)"/><xsl:text>|</xsl:text>
  <xsl:value-of select="key('k', 'b')"/><xsl:text>|</xsl:text>
  <xsl:value-of select="string-length(key('k', //i[@v = 3]/@k))"/><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//i">
    <xsl:if test="generate-id() = generate-id(//i[@k = current()/@k][1])"><xsl:value-of select="@k"/>!</xsl:if>
    <xsl:value-of select="@n"/><xsl:text>:</xsl:text>
    <xsl:value-of select="substring(//i[@v = current()/@v][1], 1, 3)"/><xsl:text> </xsl:text>
    <xsl:value-of select="string(..//i[@v = current()/@v][1]/@n)"/><xsl:text>,</xsl:text>
  </xsl:for-each>
  <xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
