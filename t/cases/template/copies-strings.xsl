<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:d="urn:d" xmlns:q="urn:q" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="d q exsl">
<!-- what is copied, as a string, as a node-set, inside attributes and comments -->
<xsl:template match="@*|node()"><xsl:copy><xsl:apply-templates select="@*|node()"/></xsl:copy></xsl:template>
<xsl:template match="/">
<xsl:variable name="all"><xsl:apply-templates select="//d:item"/></xsl:variable>
<xsl:variable name="leaves"><xsl:apply-templates select="//comment()|//processing-instruction()|//d:b/text()|//d:item/@n"/></xsl:variable>
<o at="{$all}"><s><xsl:value-of select="$all"/></s><n><xsl:value-of select="string-length($all)"/></n><l><xsl:value-of select="$leaves"/></l
><set><xsl:for-each select="exsl:node-set($all)/*"><xsl:value-of select="concat(name(), count(.//node()), ' ')"/></xsl:for-each></set
><c><xsl:copy-of select="$all"/></c><x><xsl:attribute name="in"><xsl:apply-templates select="//d:hi"/></xsl:attribute><xsl:comment><xsl:apply-templates select="//d:hi"/></xsl:comment></x
><again><xsl:apply-templates select="exsl:node-set($all)/d:item[2]"/></again></o></xsl:template>
</xsl:stylesheet>
