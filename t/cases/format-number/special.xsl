<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="format-number(-5,'0;(0)')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(5,'0;(0)')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(-1.25,'0.0#;-0.0#')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(0 div 0,'0')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(1 div 0,'0')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(-1 div 0,'0')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number('abc','0')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number('12','0.0')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
