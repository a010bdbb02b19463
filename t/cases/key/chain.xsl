<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<!-- keys whose use asks other keys: an employee's department, by the boss of the boss of his boss -->
<xsl:key name="id" match="e" use="@id"/>
<xsl:key name="boss" match="e" use="key('id', @boss)/@name"/>
<xsl:key name="team" match="e" use="count(key('boss', @name))"/>
<xsl:key name="size" match="e" use="concat(@dept, ':', count(key('team', 0)))"/>
<xsl:template match="/">
  <xsl:for-each select="key('boss', 'Ann')"><xsl:value-of select="@name"/><xsl:text> </xsl:text></xsl:for-each>
  <xsl:text>| </xsl:text>
  <xsl:for-each select="key('team', 2)"><xsl:value-of select="@name"/><xsl:text> </xsl:text></xsl:for-each>
  <xsl:text>| </xsl:text>
  <xsl:for-each select="key('size', 'b:3')"><xsl:value-of select="@name"/><xsl:text> </xsl:text></xsl:for-each>
</xsl:template>
</xsl:stylesheet>
