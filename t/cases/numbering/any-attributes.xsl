<!-- XSLT 7.7: level="any" counts nodes before the current one "excluding any namespace and attribute nodes" -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:for-each select="//@y|//text()|//comment()|//processing-instruction()|//namespace::n">
      <xsl:value-of select="concat(name(), '=', .)"/>: <xsl:number level="any"/>, <xsl:number level="any" count="@y|*"/>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
