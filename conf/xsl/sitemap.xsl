<?xml version="1.0" encoding="UTF-8"?>
<!-- sitemap.xsl: sitemaps and sitemap indexes (sitemaps.org), with the images that WordPress's plugins list -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"
    xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" exclude-result-prefixes="s image">
<xsl:import href="page.xsl"/>

<xsl:template match="/" mode="title">Sitemap<xsl:if test="/s:sitemapindex"> index</xsl:if></xsl:template>

<xsl:template match="/" mode="lead">
<xsl:value-of select="count(*/s:url | */s:sitemap)"/> addresses, for search engines. People may follow them, too.
</xsl:template>

<xsl:template match="/" mode="body">
<table>
<tr><th>Address</th><xsl:if test="//image:image"><th class="number">Images</th></xsl:if><th>Last changed</th></tr>
<xsl:for-each select="*/s:url | */s:sitemap">
<tr><td><xsl:call-template name="link"><xsl:with-param name="href" select="normalize-space(s:loc)"/></xsl:call-template></td>
<xsl:if test="//image:image"><td class="number"><xsl:value-of select="count(image:image)"/></td></xsl:if>
<td><xsl:value-of select="translate(substring(s:lastmod, 1, 16), 'T', ' ')"/></td></tr>
</xsl:for-each>
</table>
</xsl:template>
</xsl:stylesheet>
