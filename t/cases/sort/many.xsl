<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<!-- rows of many sizes, long enough to be merged at several widths; ties stay in document order -->
<xsl:template match="/r">
  <xsl:for-each select="i"><xsl:sort select="@k" data-type="number"/><xsl:sort select="@g" order="descending"/><xsl:value-of select="concat(@n, ' ')"/></xsl:for-each>
  <xsl:text>&#10;</xsl:text>
  <xsl:for-each select="i[position() &lt; 40]">
    <xsl:variable name="p" select="position()"/>
    <xsl:for-each select="../i[@n mod $p = 0][@n &lt; 90]"><xsl:sort select="t"/><xsl:sort select="@k" data-type="number" order="descending"/><xsl:value-of select="concat(@n, ' ')"/></xsl:for-each>
    <xsl:text>&#10;</xsl:text>
  </xsl:for-each>
  <xsl:for-each select="i/t"><xsl:sort select="." order="descending"/><xsl:value-of select="concat(., position(), ' ')"/></xsl:for-each>
</xsl:template>
</xsl:stylesheet>
