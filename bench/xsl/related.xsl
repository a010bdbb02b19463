<?xml version="1.0" encoding="UTF-8"?>
<!-- Each item of a feed with the items that share a category, newest day first: much evaluation for little input. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dc="http://purl.org/dc/elements/1.1/"
    exclude-result-prefixes="dc">
<xsl:output method="html" encoding="UTF-8" indent="no"/>
<xsl:template match="/">
  <html><head><title><xsl:value-of select="rss/channel/title"/></title></head>
  <body><xsl:apply-templates select="rss/channel/item"/></body></html>
</xsl:template>
<xsl:template match="item">
  <xsl:variable name="id" select="guid"/>
  <xsl:variable name="shared" select="../item[guid != $id and category = current()/category]"/>
  <h2 title="{translate(dc:creator, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')}"><xsl:value-of select="title"/></h2>
  <p><xsl:value-of select="count($shared)"/> related<xsl:text>, </xsl:text>
    <xsl:value-of select="count($shared[dc:creator = current()/dc:creator])"/> of the same author</p>
  <ul>
    <xsl:for-each select="$shared">
      <xsl:sort select="substring(substring-after(pubDate, ', '), 1, 2)" data-type="number" order="descending"/>
      <xsl:sort select="title"/>
      <xsl:if test="position() &lt;= 3">
        <li><a href="{link}"><xsl:value-of select="normalize-space(title)"/></a>
          <xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::item[dc:creator = current()/dc:creator])"/></li>
      </xsl:if>
    </xsl:for-each>
  </ul>
</xsl:template>
</xsl:stylesheet>
