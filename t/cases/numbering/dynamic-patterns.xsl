<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dyn="http://exslt.org/dynamic">
<xsl:output method="text"/>
<!-- expressions compiled while the patterns of one row's number are matched are there for the next -->
<xsl:template match="/r">
<xsl:for-each select="n">
  <xsl:variable name="v" select="@k"/>
  <xsl:number level="any" count="n[dyn:evaluate('@k') = $v or dyn:evaluate(concat('@k = ', $v, ' + 1'))]"/>
  <xsl:value-of select="concat(' ', dyn:evaluate('count(preceding-sibling::n[@k = 2])'), '&#10;')"/>
</xsl:for-each>
</xsl:template>
</xsl:stylesheet>
