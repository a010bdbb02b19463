<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:p">
  <!-- 12.3: the third argument is an expression like the others -->
  <xsl:output method="text"/>
  <xsl:decimal-format name="de" decimal-separator="," grouping-separator="."/>
  <xsl:decimal-format name="p:us" NaN="-"/>
  <xsl:template match="/">
    <xsl:for-each select="r/n"><xsl:value-of select="format-number(., @p, @f)"/>|<xsl:value-of select="format-number(1234.5, '0', @f)"/>|<xsl:call-template name="n">
      <xsl:with-param name="f" select="@f"/></xsl:call-template>;</xsl:for-each>
  </xsl:template>
  <xsl:template name="n"><xsl:param name="f"/><xsl:value-of select="format-number(0.5, '0%', $f)"/></xsl:template>
</xsl:stylesheet>
