<!-- a key that asks for itself (a slip: it finds nothing there) beside comparisons that the compiler makes keys of, also in the key's own use -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:key name="k" match="n[/r/m/@of = @id or key('k', @id)]" use="@id | key('k', @id)/@id"/>
<xsl:key name="each" match="." use="name()"/>
<xsl:key name="named" match="m" use="key(concat('k', ''), @of)/@v"/>
<xsl:template match="/">
  <xsl:for-each select="r/n"><xsl:value-of select="concat(@id, ':', count(key('k', @id)), ' ', count(/r/m[@of = current()/@id]), '&#10;')"/></xsl:for-each>
  <xsl:value-of select="concat(count(key('each', 'n')), ' ', count(key('each', '')), ' ', key('named', 'two')/@of, '&#10;')"/>
</xsl:template>
</xsl:stylesheet>
