<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="substring('12345',2,3)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring('12345',2)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring('12345',1.5,2.6)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring('12345',0,3)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring('12345',0 div 0,3)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring('12345',1,0 div 0)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring('12345',-42,1 div 0)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring('12345',-1 div 0,1 div 0)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring('12345',6)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring('12345',5)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring('12345',-3,5)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring('12345',2,-1)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="substring('12345',1 div 0)"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
