<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:dc="http://purl.org/dc/elements/1.1/" exclude-result-prefixes="dc">
<xsl:import href="page.xsl"/>
<xsl:variable name="page" select="'news'"/>
<xsl:variable name="months" select="'JanFebMarAprMayJunJulAugSepOctNovDec'"/>

<xsl:template match="rss" mode="title"><xsl:value-of select="channel/title"/></xsl:template>

<xsl:template match="rss" mode="main">
  <h1><xsl:value-of select="channel/title"/></h1>
  <p class="lead"><xsl:value-of select="channel/description"/>. <xsl:value-of select="count(channel/item)"/> stories. This is the feed itself: subscribe to the address of this page.</p>
  <ol class="stories">
    <xsl:apply-templates select="channel/item">
      <xsl:sort select="substring(pubDate, 13, 4)" data-type="number" order="descending"/>
      <xsl:sort select="string-length(substring-before($months, substring(pubDate, 9, 3)))" data-type="number" order="descending"/>
      <xsl:sort select="substring(pubDate, 6, 2)" data-type="number" order="descending"/>
    </xsl:apply-templates>
  </ol>
</xsl:template>

<xsl:template match="item">
  <li>
    <div class="meta">
      <time datetime="{substring(pubDate, 13, 4)}-{format-number(string-length(substring-before($months, substring(pubDate, 9, 3))) div 3 + 1, '00')}-{substring(pubDate, 6, 2)}"><xsl:value-of select="number(substring(pubDate, 6, 2))"/><xsl:text> </xsl:text><xsl:value-of select="substring(pubDate, 9, 8)"/></time><br/>
      <xsl:value-of select="dc:creator"/>
    </div>
    <article>
      <h2><a href="{link}"><xsl:value-of select="title"/></a></h2>
      <!-- feeds carry markup as text; it is shown as text, with the tags taken out: a feed is not trusted with scripts -->
      <p><xsl:call-template name="untagged"><xsl:with-param name="text" select="description"/></xsl:call-template></p>
      <p><xsl:for-each select="category"><span class="pill"><xsl:value-of select="."/></span></xsl:for-each></p>
    </article>
  </li>
</xsl:template>

<xsl:template name="untagged">
  <xsl:param name="text"/>
  <xsl:choose>
    <xsl:when test="contains($text, '&lt;') and contains(substring-after($text, '&lt;'), '&gt;')">
      <xsl:call-template name="entities"><xsl:with-param name="text" select="substring-before($text, '&lt;')"/></xsl:call-template>
      <xsl:call-template name="untagged"><xsl:with-param name="text" select="substring-after(substring-after($text, '&lt;'), '&gt;')"/></xsl:call-template>
    </xsl:when>
    <xsl:otherwise><xsl:call-template name="entities"><xsl:with-param name="text" select="$text"/></xsl:call-template></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<!-- the three references that escaped markup uses -->
<xsl:template name="entities">
  <xsl:param name="text"/>
  <xsl:variable name="rest" select="substring-after($text, '&amp;')"/>
  <xsl:choose>
    <xsl:when test="starts-with($rest, 'lt;') or starts-with($rest, 'gt;') or starts-with($rest, 'amp;')">
      <xsl:value-of select="substring-before($text, '&amp;')"/>
      <xsl:value-of select="translate(substring($rest, 1, 1), 'lga', '&lt;&gt;&amp;')"/>
      <xsl:call-template name="entities"><xsl:with-param name="text" select="substring-after($rest, ';')"/></xsl:call-template>
    </xsl:when>
    <xsl:otherwise><xsl:value-of select="$text"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>
</xsl:stylesheet>
