<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- 10: "lang specifies the language of the sort keys" -->
  <xsl:output method="text" encoding="UTF-8"/>
  <xsl:param name="computed" select="'cs'"/>
  <xsl:template match="/">
    <xsl:for-each select="//w"><xsl:sort select="."/><xsl:value-of select="."/><xsl:text> </xsl:text></xsl:for-each>|
<xsl:for-each select="//w"><xsl:sort select="." lang="de-DE"/><xsl:value-of select="."/><xsl:text> </xsl:text></xsl:for-each>|
<xsl:for-each select="//w"><xsl:sort select="." lang="sv"/><xsl:value-of select="."/><xsl:text> </xsl:text></xsl:for-each>|
<xsl:for-each select="//w"><xsl:sort select="." lang="es" order="descending"/><xsl:value-of select="."/><xsl:text> </xsl:text></xsl:for-each>|
<xsl:for-each select="//w"><xsl:sort select="." lang="{$computed}" case-order="upper-first"/><xsl:value-of select="."/><xsl:text> </xsl:text></xsl:for-each>|
</xsl:template>
</xsl:stylesheet>
