<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/"><xsl:for-each select="t/r"><xsl:value-of select="concat(
count(//r[(@k = current()/@k) = true()]), ' ', count(//r[(@k = current()/@k) = false()]), ' ',
count(//r[(@k = current()/@k) != true()]), ' ', count(//r[false() != (@k = current()/@k)]), ' ',
count(//r[true() = not(@k = current()/@k)]), ' ', count(//r[not(not(@k = current()/@k))]), ' ',
count(//r[not(not(not(@v &lt; current()/@v)))]), ' ', count(//r[not(not(b))]), ' ',
count(//r[b = true()]), ' ', count(//r[false() = b]), ' ', not(not(@k)), ' ', not(not(3)) = true(), ' ', not(not('')) = false(), ' ',
true() = true(), ' ', true() != true(), ' ', 'a' = true(), ' ', count(//r[not(not(position() = 2)) = true()]))"/><xsl:text>
</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
