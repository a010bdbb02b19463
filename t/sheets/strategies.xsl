<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- a named key, a comparison that becomes a key of its own, what is evaluated once, a look from a predicate outwards, a host step -->
<xsl:key name="k" match="i" use="@x"/>
<xsl:variable name="all" select="//person"/>
<xsl:template match="/r">
  <xsl:for-each select="i[last()]">
    <xsl:value-of select="//person[@id = current()/@x]/name"/>
    <xsl:value-of select="key('k', 2)"/>
    <xsl:value-of select="count($all[. = current()])"/>
    <xsl:value-of select="system-property(@p)"/>
  </xsl:for-each>
</xsl:template>
<xsl:template match="b" mode="m" name="n"><xsl:value-of select="count(//a/b[../@c = 'x'])"/></xsl:template>
</xsl:stylesheet>
