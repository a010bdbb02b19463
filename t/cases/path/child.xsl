<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="/r/a"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="/r/child::a/b"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="r/a/c/d"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="/r/*"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="/child::r/child::*[2]"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="/r/a/*"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="/r/x"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
