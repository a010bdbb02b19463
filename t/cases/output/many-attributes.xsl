<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common"
    xmlns:str="http://exslt.org/strings" exclude-result-prefixes="exsl str">
  <xsl:output omit-xml-declaration="yes"/>
  <!-- three elements with 90,000 attributes each (.args), then one whose attributes are set twice -->
  <xsl:param name="n" select="40"/>
  <xsl:template match="/">
    <xsl:variable name="nodes" select="str:tokenize(str:padding($n, '-'), '')"/>
    <xsl:variable name="made">
      <xsl:for-each select="$nodes[position() &lt;= 3]">
        <e><xsl:for-each select="$nodes"><xsl:attribute name="a{position()}"><xsl:value-of select="position()"/></xsl:attribute></xsl:for-each></e>
      </xsl:for-each>
    </xsl:variable>
    <sum of="{count(exsl:node-set($made)/e/@*)}"><xsl:value-of select="sum(exsl:node-set($made)/e[3]/@*)"/></sum>
    <twice>
      <xsl:for-each select="$nodes[position() &lt;= 40]"><xsl:attribute name="b{position() mod 20}"><xsl:value-of select="position()"/></xsl:attribute></xsl:for-each>
    </twice>
  </xsl:template>
</xsl:stylesheet>
