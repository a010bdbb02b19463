<?xml version="1.0" encoding="UTF-8"?>
<!-- listing.xsl: mod_autoindex's listings (IndexOptions XHTML HTMLTable FancyIndexing) as pages of the site -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:h="http://www.w3.org/1999/xhtml" exclude-result-prefixes="h">
<xsl:import href="page.xsl"/>
<xsl:variable name="rows" select="//tr[td/a] | //h:tr[h:td/h:a]"/>

<xsl:template match="/" mode="title"><xsl:value-of select="normalize-space(//h1 | //h:h1)"/></xsl:template>
<xsl:template match="/" mode="lead"><xsl:value-of select="count($rows[not(contains(., 'Parent Directory'))])"/> entries</xsl:template>

<xsl:template match="/" mode="body">
<table>
<tr><th>Name</th><th>Last changed</th><th class="number">Size</th></tr>
<xsl:for-each select="$rows">
<xsl:variable name="link" select="td/a | h:td/h:a"/>
<xsl:variable name="cells" select="$link/../following-sibling::*"/>
<tr><td><a href="{$link/@href}"><xsl:value-of select="$link"/></a></td>
<td><xsl:value-of select="normalize-space($cells[1])"/></td><td class="number"><xsl:value-of select="normalize-space($cells[2])"/></td></tr>
</xsl:for-each>
</table>
</xsl:template>
</xsl:stylesheet>
