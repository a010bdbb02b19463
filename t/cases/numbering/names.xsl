<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- numbers among many siblings of several names, in document order and not -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="//node()"><xsl:number/>|<xsl:number level="multiple"/>|<xsl:number count="a | e"/>|<xsl:number level="multiple" count="*"/><xsl:text>&#10;</xsl:text></xsl:for-each>
  <xsl:for-each select="//*"><xsl:sort select="name()" order="descending"/><xsl:sort select="position()" data-type="number" order="descending"/><xsl:number/>,<xsl:number level="multiple"/><xsl:text> </xsl:text></xsl:for-each>
</xsl:template>
</xsl:stylesheet>
