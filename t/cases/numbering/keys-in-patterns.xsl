<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<!-- indexes of keys, also those that the compiler makes of searches, made while the patterns of one row's number are matched are there for the next -->
<xsl:key name="k" match="n" use="@k"/>
<xsl:template match="/r">
<xsl:for-each select="n">
  <xsl:variable name="v" select="@k"/>
  <xsl:number level="any" count="n[key('k', @k)[1]/@k = $v]"/>
  <xsl:text> </xsl:text>
  <xsl:number level="any" count="n[preceding-sibling::n/@k = @k and @k != $v]" from="n[$v = key('k', 'z')]"/>
  <xsl:value-of select="concat(' ', count(key('k', @k)), count(preceding-sibling::n[@k = current()/@k]), '&#10;')"/>
</xsl:for-each>
</xsl:template>
</xsl:stylesheet>
