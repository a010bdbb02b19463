<?xml version="1.0" encoding="UTF-8"?>
<!-- The frame of every page: head, navigation, footer. Pages import it and give templates for the modes "title", "main" and perhaps "scripts", "class" (of body). -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" encoding="UTF-8" indent="no" doctype-system="about:legacy-compat"/>

<xsl:param name="version" select="'unknown'"/>
<!-- the name of the page's document without ".xml" -->
<xsl:variable name="page" select="'index'"/>
<xsl:variable name="served" select="string(/processing-instruction('served'))"/>
<xsl:variable name="way">
  <xsl:choose>
    <xsl:when test="$served"><xsl:value-of select="substring-before(concat($served, ' '), ' ')"/></xsl:when>
    <xsl:otherwise>static</xsl:otherwise>
  </xsl:choose>
</xsl:variable>

<xsl:template match="/">
  <html lang="en">
    <head>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <meta name="color-scheme" content="light dark"/>
      <title><xsl:apply-templates select="/*" mode="title"/></title>
      <link rel="icon" href="/favicon.svg" type="image/svg+xml"/>
      <link rel="stylesheet" href="/site.css"/>
      <script src="/page.js" defer="defer"></script>
      <xsl:apply-templates select="/*" mode="scripts"/>
    </head>
    <body>
      <xsl:variable name="class"><xsl:apply-templates select="/*" mode="class"/></xsl:variable>
      <xsl:if test="string($class)"><xsl:attribute name="class"><xsl:value-of select="$class"/></xsl:attribute></xsl:if>
      <a class="skip" href="#main">Skip to the content</a>
      <header class="bar">
        <nav aria-label="Pages">
          <a class="brand" href="/"><svg viewBox="0 0 32 32" aria-hidden="true"><path d="M11 9 5 16l6 7M21 9l6 7-6 7M18.5 7l-5 18"/></svg> mod_gpuxml</a>
          <xsl:call-template name="link"><xsl:with-param name="to" select="'try'"/><xsl:with-param name="at" select="'/try.xml'"/><xsl:with-param name="label" select="'Try it'"/></xsl:call-template>
          <xsl:call-template name="link"><xsl:with-param name="to" select="'live'"/><xsl:with-param name="at" select="'/live.xml'"/><xsl:with-param name="label" select="'Live'"/></xsl:call-template>
          <xsl:call-template name="link"><xsl:with-param name="to" select="'catalogue'"/><xsl:with-param name="label" select="'Catalogue'"/></xsl:call-template>
          <xsl:call-template name="link"><xsl:with-param name="to" select="'news'"/><xsl:with-param name="label" select="'News'"/></xsl:call-template>
          <xsl:call-template name="link"><xsl:with-param name="to" select="'sales'"/><xsl:with-param name="label" select="'Sales'"/></xsl:call-template>
          <xsl:call-template name="link"><xsl:with-param name="to" select="'docs'"/><xsl:with-param name="at" select="'/docs/docs-readme.xml'"/><xsl:with-param name="label" select="'Docs'"/></xsl:call-template>
        </nav>
      </header>
      <main id="main">
        <xsl:apply-templates select="/*" mode="main"/>
      </main>
      <footer>
        <p>
          <xsl:choose>
            <xsl:when test="$page = 'index' or $page = 'try' or $page = 'live' or $page = 'docs'">Written by a stylesheet, like everything here.</xsl:when>
            <xsl:when test="$way = 'cgi'">The XML of this page was printed by a CGI program at <xsl:value-of select="substring-after($served, ' ')"/>.</xsl:when>
            <xsl:when test="$way = 'proxy'">The XML of this page came through the proxy from the back end at <xsl:value-of select="substring-after($served, ' ')"/>.</xsl:when>
            <xsl:otherwise>The XML of this page is a file.</xsl:otherwise>
          </xsl:choose>
          <span id="timing"/>
        </p>
        <p class="links">
          <xsl:choose>
            <xsl:when test="$page = 'live'"><a href="/status?xml">The XML</a></xsl:when>
            <xsl:when test="$page != 'docs'"><a href="/raw/{$page}.xml">The XML</a></xsl:when>
          </xsl:choose>
          <a href="/xsl/{$page}.xsl">The stylesheet</a>
          <a href="/xsl/page.xsl">The frame</a>
          <xsl:if test="$page = 'catalogue' or $page = 'news' or $page = 'sales'">
            <xsl:call-template name="way"><xsl:with-param name="name" select="'static'"/><xsl:with-param name="label" select="'From a file'"/></xsl:call-template>
            <xsl:call-template name="way"><xsl:with-param name="name" select="'cgi'"/><xsl:with-param name="label" select="'From a CGI program'"/></xsl:call-template>
            <xsl:call-template name="way"><xsl:with-param name="name" select="'proxy'"/><xsl:with-param name="label" select="'Through the proxy'"/></xsl:call-template>
          </xsl:if>
          <a href="/status">Server status</a>
          <span>mod_gpuxml <xsl:value-of select="$version"/></span>
        </p>
      </footer>
    </body>
  </html>
</xsl:template>

<xsl:template name="link">
  <xsl:param name="to"/>
  <xsl:param name="label"/>
  <xsl:param name="at" select="concat('/', $way, '/', $to, '.xml')"/>
  <a href="{$at}">
    <xsl:if test="$to = $page"><xsl:attribute name="aria-current">page</xsl:attribute></xsl:if>
    <xsl:value-of select="$label"/>
  </a>
</xsl:template>

<xsl:template name="way">
  <xsl:param name="name"/>
  <xsl:param name="label"/>
  <a href="/{$name}/{$page}.xml">
    <xsl:if test="$name = $way"><xsl:attribute name="aria-current">true</xsl:attribute></xsl:if>
    <xsl:value-of select="$label"/>
  </a>
</xsl:template>
<xsl:template match="*" mode="scripts"/>
<xsl:template match="*" mode="class"/>
</xsl:stylesheet>
