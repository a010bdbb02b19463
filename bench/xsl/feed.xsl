<?xml version="1.0" encoding="UTF-8"?>
<!-- a feed as a page: sorting by date, recursion over the entities of escaped markup, a list of topics -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:dc="http://purl.org/dc/elements/1.1/" exclude-result-prefixes="dc">
<xsl:output method="html" encoding="UTF-8" indent="no"/>
<xsl:strip-space elements="rss channel item"/>
<xsl:variable name="months" select="'JanFebMarAprMayJunJulAugSepOctNovDec'"/>

<xsl:template match="channel">
  <html lang="{language}">
    <head><title><xsl:value-of select="title"/></title></head>
    <body>
      <h1><a href="{link}"><xsl:value-of select="title"/></a></h1>
      <p><xsl:value-of select="description"/>, <xsl:value-of select="count(item)"/> stories</p>
      <xsl:apply-templates select="item">
        <xsl:sort select="string-length(substring-before($months, substring(pubDate, 9, 3)))" data-type="number" order="descending"/>
        <xsl:sort select="substring(pubDate, 6, 2)" data-type="number" order="descending"/>
        <xsl:sort select="title"/>
      </xsl:apply-templates>
    </body>
  </html>
</xsl:template>

<xsl:template match="item">
  <article id="s{position()}">
    <xsl:attribute name="class"><xsl:choose><xsl:when test="position() = 1">first</xsl:when><xsl:when test="category = 'Sport'">sport</xsl:when><xsl:otherwise>story</xsl:otherwise></xsl:choose></xsl:attribute>
    <h2><a href="{link}"><xsl:value-of select="title"/></a></h2>
    <p class="by"><xsl:value-of select="concat(dc:creator, ', ', substring(pubDate, 6, 11))"/></p>
    <p><xsl:call-template name="plain"><xsl:with-param name="text" select="description"/></xsl:call-template></p>
    <xsl:if test="category"><ul><xsl:for-each select="category"><li><xsl:value-of select="."/></li></xsl:for-each></ul></xsl:if>
  </article>
</xsl:template>

<xsl:template name="plain">
  <xsl:param name="text"/>
  <xsl:choose>
    <xsl:when test="contains($text, '&lt;')">
      <xsl:value-of select="substring-before($text, '&lt;')"/>
      <xsl:call-template name="plain"><xsl:with-param name="text" select="substring-after($text, '&gt;')"/></xsl:call-template>
    </xsl:when>
    <xsl:otherwise><xsl:value-of select="$text"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>
</xsl:stylesheet>
