<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- What would be an error is none where nothing evaluates it: in predicates without candidates, behind "and" and "or" (XPath 2.4, 3.4) -->
<xsl:output omit-xml-declaration="yes"/>
<xsl:param name="name" select="'nowhere'"/>
<xsl:variable name="fragment"><a/></xsl:variable>
<xsl:template match="/"><o>
  <a><xsl:value-of select="count(//none[count($fragment/a)])"/>,<xsl:value-of select="count(//none[key($name, 1)])"/></a>
  <b><xsl:value-of select="count(//none[. = $fragment/a])"/>,<xsl:value-of select="count(//none[@x &gt; $fragment/a])"/></b>
  <c><xsl:value-of select="count(//none[position() = count($fragment/a)])"/>,<xsl:value-of select="count((//none)[format-number(1, '0', $name)])"/></c>
  <d><xsl:for-each select="/*"><xsl:value-of select="self::none and key($name, .)"/>,<xsl:value-of select="true() or format-number(1, '0.0.0')"/></xsl:for-each></d>
  <e><xsl:value-of select="count(//*[self::none and count(key($name, 1))])"/>,<xsl:value-of select="count(/*/none/x[2][count($fragment/a)])"/></e>
</o></xsl:template>
</xsl:stylesheet>
