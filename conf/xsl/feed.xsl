<?xml version="1.0" encoding="UTF-8"?>
<!-- feed.xsl: RSS 0.9x, 1.0 and 2.0, and Atom, as a page for people who followed the link to a feed -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:a="http://www.w3.org/2005/Atom"
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rss="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
    exclude-result-prefixes="a rdf rss dc">
<xsl:import href="page.xsl"/>

<xsl:variable name="feed" select="/rss/channel | /rdf:RDF/rss:channel | /a:feed"/>
<xsl:variable name="items" select="/rss/channel/item | /rss/item | /rdf:RDF/rss:item | /a:feed/a:entry"/>

<xsl:template match="/" mode="title"><xsl:value-of select="normalize-space($feed/title | $feed/rss:title | $feed/a:title)"/></xsl:template>

<xsl:template match="/" mode="lead">
<xsl:call-template name="plain"><xsl:with-param name="text" select="normalize-space($feed/description | $feed/rss:description | $feed/a:subtitle)"/></xsl:call-template>
<br/>This is a feed with <xsl:value-of select="count($items)"/> entries: give the address of this page to a feed reader to subscribe.
<xsl:call-template name="link"><xsl:with-param name="href" select="string($feed/link | $feed/rss:link | $feed/a:link[not(@rel) or @rel = 'alternate']/@href)"/>
<xsl:with-param name="text">The site</xsl:with-param></xsl:call-template>
</xsl:template>

<xsl:template match="/" mode="body"><xsl:apply-templates select="$items"/></xsl:template>

<xsl:template match="item | rss:item | a:entry">
<article>
<h2><xsl:call-template name="link">
<xsl:with-param name="href" select="string(link | rss:link | a:link[not(@rel) or @rel = 'alternate']/@href)"/>
<xsl:with-param name="text" select="normalize-space(title | rss:title | a:title)"/></xsl:call-template></h2>
<p class="meta"><xsl:value-of select="normalize-space(pubDate | dc:date | a:updated)"/>
<xsl:for-each select="author | dc:creator | a:author/a:name"><xsl:text> · </xsl:text><xsl:value-of select="normalize-space(.)"/></xsl:for-each></p>
<p><xsl:call-template name="summary"><xsl:with-param name="text"><xsl:call-template name="plain">
<xsl:with-param name="text" select="string(description | rss:description | a:summary | a:content[not(../a:summary)])"/></xsl:call-template></xsl:with-param></xsl:call-template></p>
</article>
</xsl:template>

<xsl:template name="summary">
<xsl:param name="text"/>
<xsl:variable name="words" select="normalize-space($text)"/>
<xsl:value-of select="substring($words, 1, 400)"/><xsl:if test="string-length($words) &gt; 400">…</xsl:if>
</xsl:template>
</xsl:stylesheet>
