<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="sum(/r/n)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="sum(/r/nosuch)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="sum(/r/*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="sum(/r/n[. &gt; 1])"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
