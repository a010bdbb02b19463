<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" xmlns:str="http://exslt.org/strings" exclude-result-prefixes="exsl str">
<xsl:output method="text"/>
<!-- trees made while a pattern is matched are there afterwards: names of theirs are found -->
<xsl:template match="/r">
<xsl:for-each select="n">
  <xsl:variable name="v"><i>x</i><i>z</i></xsl:variable>
  <xsl:variable name="w" select="@k"/>
  <xsl:number level="any" count="n[@k = exsl:node-set($v)/i or @k = $w]"/>
  <xsl:number level="any" count="n[@k = str:tokenize($w, 'y')]"/>
  <xsl:variable name="own"><y><xsl:value-of select="@k"/></y></xsl:variable>
  <xsl:value-of select="concat(' ', exsl:node-set($own)/y, exsl:node-set($v)/i[2], count(exsl:node-set($v)/*), ' ')"/>
  <xsl:variable name="set" select="exsl:node-set($v)"/>
  <xsl:number level="any" count="n[@k = $set/i or @k = document('')//xsl:number[@level = 'any']/@level]"/>
  <xsl:value-of select="concat(' ', $set/i[2], count(document('')//xsl:number), '&#10;')"/>
</xsl:for-each>
</xsl:template>
</xsl:stylesheet>
