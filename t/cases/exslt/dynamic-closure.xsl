<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dyn="http://exslt.org/dynamic" xmlns:e="http://exslt.org/common" exclude-result-prefixes="dyn e">
<xsl:output omit-xml-declaration="yes"/>
<xsl:variable name="step" select="'p'"/>
<xsl:key name="id" match="p" use="@id"/>
<xsl:template match="/"><out>
<a><xsl:for-each select="dyn:closure(/r, '*')"><xsl:value-of select="@id"/></xsl:for-each>=<xsl:for-each select="/r//*"><xsl:value-of select="@id"/></xsl:for-each></a>
<b><xsl:for-each select="//p[@of]"><xsl:value-of select="@id"/>:<xsl:for-each select="dyn:closure(., '//p[@id = current()/@of]')"><xsl:value-of select="@id"/></xsl:for-each>,</xsl:for-each></b>
<c><xsl:for-each select="//p"><xsl:value-of select="count(dyn:closure(., '..'))"/>,</xsl:for-each></c>
<d><xsl:value-of select="count(dyn:closure(//p, '.'))"/>,<xsl:value-of select="count(dyn:closure(//p, '1'))"/>,<xsl:value-of select="count(dyn:closure(//p, '1 +'))"/>,<xsl:value-of select="count(dyn:closure(/.., '*'))"/>,<xsl:value-of select="count(dyn:closure(//p, ''))"/></d>
<e><xsl:value-of select="count(dyn:closure(/r/p[1], 'following-sibling::*[1]'))"/>,<xsl:for-each select="dyn:closure(//p[@id='b'], '*[last()] | @id')"><xsl:value-of select="name()"/></xsl:for-each></e>
<f><xsl:variable name="t"><p id="x"><p id="y"/></p></xsl:variable><xsl:for-each select="dyn:closure(e:node-set($t), '*')"><xsl:value-of select="@id"/></xsl:for-each>,<xsl:value-of select="count(dyn:closure(/r | e:node-set($t), '*[name() = $step]'))"/></f>
</out></xsl:template></xsl:stylesheet>
