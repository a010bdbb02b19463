<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- xsl:number, string() and format-number() say the same of an integer, however large -->
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:for-each select="//n">
      <xsl:variable name="number"><xsl:number value="."/></xsl:variable>
      <xsl:value-of select="concat($number, ' ', $number = string(number(.)), ' ', $number = format-number(., '0'), ' ')"/>
      <xsl:number value="." grouping-size="3" grouping-separator=","/>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
