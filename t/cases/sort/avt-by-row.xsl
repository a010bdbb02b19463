<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- 10: the attributes are attribute value templates, of the node whose children are sorted -->
  <xsl:output method="xml" omit-xml-declaration="yes"/>
  <xsl:template match="/"><o><xsl:apply-templates select="//g"/></o></xsl:template>
  <xsl:template match="g">
    <g><xsl:for-each select="i"><xsl:sort order="{../@order}{@none}" data-type="{@none}"/><xsl:value-of select="."/>,</xsl:for-each>|<xsl:call-template name="list">
      <xsl:with-param name="order" select="@order"/></xsl:call-template>|<xsl:for-each select="i"><xsl:sort lang="{$none}" order="descending"/><xsl:value-of select="."/>,</xsl:for-each></g>
  </xsl:template>
  <xsl:template name="list">
    <xsl:param name="order"/>
    <xsl:apply-templates select="i"><xsl:sort order="{$order}" data-type="{@type}" lang="{@lang}" case-order="{@case}"/></xsl:apply-templates>
  </xsl:template>
  <xsl:template match="i"><xsl:value-of select="."/>,</xsl:template>
  <xsl:variable name="none"/>
</xsl:stylesheet>
