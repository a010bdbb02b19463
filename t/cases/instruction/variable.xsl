<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><xsl:variable name="a" select="//i"/><xsl:variable name="b">t<x>u</x></xsl:variable><xsl:variable name="c"/><xsl:variable name="d" select="2"/><o><xsl:value-of select="count($a)"/>|<xsl:value-of select="$b"/>|<xsl:copy-of select="$b"/>|<xsl:value-of select="$c"/>|<xsl:value-of select="//i[$d]"/>|<xsl:value-of select="$a[2]/@k"/></o></xsl:template>

</xsl:stylesheet>
