<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="//*[self::b]"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//*/self::d"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//c/."><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//b/self::c"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//a/self::*[c]"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
