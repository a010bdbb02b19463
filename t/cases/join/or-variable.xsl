<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <!-- "or" of a look-up and a condition on the candidate alone, in a variable's set: the same for all rows, and another for each -->
  <xsl:template match="/">
    <xsl:variable name="all" select="//r"/>
    <xsl:for-each select="//r">
      <xsl:variable name="x" select="@ref"/>
      <xsl:variable name="own" select="following-sibling::r | ."/>
      <xsl:for-each select="$all[@id = $x or @id = @ref]"><xsl:value-of select="@v"/></xsl:for-each>
      <xsl:text> </xsl:text><xsl:value-of select="count($all[@id = @ref or @id = $x])"/>
      <xsl:text> </xsl:text><xsl:value-of select="sum($all[@v &gt; 2][@id = $x or not(@ref)]/@v)"/>
      <xsl:text> </xsl:text><xsl:value-of select="$all[@id = $x or @id = @ref][2]/@v"/>
      <xsl:text> </xsl:text><xsl:value-of select="count($own[@id = $x or @id = @ref])"/>
      <xsl:text> </xsl:text><xsl:value-of select="$own[@id = @ref or @id = $x][last()]/@v"/>
      <xsl:text> </xsl:text><xsl:value-of select="boolean($own[@id = $x or position() = 2])"/>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
