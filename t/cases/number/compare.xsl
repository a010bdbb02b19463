<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="1 &lt; 2"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="2 &lt;= 2"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="3 &gt; 4"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="4 &gt;= 4"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 != 1"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="0 div 0 = 0 div 0"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="0 div 0 != 0 div 0"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="-0 = 0"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="1 &lt; 2 &lt; 1"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="3 &gt; 2 &gt; 0"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="true() = 5"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="true() &gt; false()"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
