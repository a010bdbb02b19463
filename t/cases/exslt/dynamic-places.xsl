<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dyn="http://exslt.org/dynamic" xmlns:e="http://exslt.org/common">
<xsl:output method="text"/>
<xsl:variable name="tree"><i>a</i><i>b</i></xsl:variable>
<xsl:key name="k" match="n" use="dyn:evaluate('@id')"/>
<xsl:template match="/">
<xsl:value-of select="dyn:evaluate('string($tree)')"/>,<xsl:value-of select="dyn:evaluate('$tree')"/>,<xsl:value-of select="count(dyn:evaluate('e:node-set($tree)/i'))"/>
<xsl:text>,</xsl:text><xsl:value-of select="key('k', 'c')"/>,<xsl:apply-templates select="r/n"><xsl:with-param name="p" select="'x'"/></xsl:apply-templates>
</xsl:template>
<xsl:template match="n[dyn:evaluate('. &gt; 3')]"><xsl:param name="p"/><xsl:value-of select="dyn:evaluate('concat($p, .)')"/>;</xsl:template>
<xsl:template match="n">-</xsl:template>
</xsl:stylesheet>
