<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="//e/preceding::*"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//d[2]/preceding::*"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//d[2]/preceding::*[1]"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//d[2]/preceding::*[2]"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//b/preceding::*"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//b[@i=2]/preceding::*"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//@j/preceding::*"><xsl:value-of select="@i"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
