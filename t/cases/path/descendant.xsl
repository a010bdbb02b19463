<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="//d"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="/r/descendant::b"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="/r/a[1]/descendant::*"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//b[1]"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="/descendant::b[1]"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//a//d[2]"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//a/descendant::*[3]"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//c/descendant-or-self::*"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
