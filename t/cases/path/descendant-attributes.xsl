<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="(//b[2 > @i or @i > 2] | //b/@i[. > 2])/descendant-or-self::node()"><xsl:value-of select="concat(name(), '=', ., ' ')"/></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="(/r/e | /r/e/namespace::*)/descendant-or-self::node()"><xsl:value-of select="concat(name(), '=', ., ' ')"/></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="(//c | //@j)/descendant-or-self::*"><xsl:value-of select="concat(@i, ' ')"/></xsl:for-each><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="concat(count((//* | //@*)/descendant-or-self::node()), ' ', count((//* | //@*)/descendant::node()), ' ', count((/r/a | //@i)/descendant-or-self::node()[1]))"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
