<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="//b/following-sibling::*"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="/r/a/following-sibling::*"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="/r/a[1]/following-sibling::*[1]"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="/r/e/preceding-sibling::*"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="/r/e/preceding-sibling::*[1]"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="/r/*/preceding-sibling::a[last()]"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//d/preceding-sibling::d"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//@i/following-sibling::*"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
