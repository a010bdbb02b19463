<?xml version="1.0" encoding="UTF-8"?>
<!-- The frame of every page: head, navigation, footer. Pages import it and give a template for mode "title" and one for "main". -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" encoding="UTF-8" indent="no" doctype-system="about:legacy-compat"/>

<!-- the name of the page's document without ".xml"; "index" has no raw siblings in other ways -->
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
      <xsl:call-template name="style"/>
    </head>
    <body>
      <a class="skip" href="#main">Skip to the content</a>
      <header class="bar">
        <nav aria-label="Pages">
          <a class="brand" href="/"><span aria-hidden="true">&lt;/&gt;</span> mod_gpuxml</a>
          <xsl:call-template name="link"><xsl:with-param name="to" select="'catalogue'"/><xsl:with-param name="label" select="'Catalogue'"/></xsl:call-template>
          <xsl:call-template name="link"><xsl:with-param name="to" select="'news'"/><xsl:with-param name="label" select="'News'"/></xsl:call-template>
          <xsl:call-template name="link"><xsl:with-param name="to" select="'sales'"/><xsl:with-param name="label" select="'Sales'"/></xsl:call-template>
        </nav>
      </header>
      <main id="main">
        <xsl:apply-templates select="/*" mode="main"/>
      </main>
      <footer>
        <p>
          <xsl:choose>
            <xsl:when test="$page = 'index'">Written by a stylesheet, like everything here.</xsl:when>
            <xsl:when test="$way = 'cgi'">The XML of this page was printed by a CGI program at <xsl:value-of select="substring-after($served, ' ')"/>.</xsl:when>
            <xsl:when test="$way = 'proxy'">The XML of this page came through the proxy from the back end at <xsl:value-of select="substring-after($served, ' ')"/>.</xsl:when>
            <xsl:otherwise>The XML of this page is a file.</xsl:otherwise>
          </xsl:choose>
          <span id="timing"/>
        </p>
        <p class="links">
          <a href="/raw/{$page}.xml">The XML</a>
          <a href="/xsl/{$page}.xsl">The stylesheet</a>
          <a href="/xsl/page.xsl">The frame</a>
          <xsl:if test="$page != 'index'">
            <xsl:call-template name="way"><xsl:with-param name="name" select="'static'"/><xsl:with-param name="label" select="'From a file'"/></xsl:call-template>
            <xsl:call-template name="way"><xsl:with-param name="name" select="'cgi'"/><xsl:with-param name="label" select="'From a CGI program'"/></xsl:call-template>
            <xsl:call-template name="way"><xsl:with-param name="name" select="'proxy'"/><xsl:with-param name="label" select="'Through the proxy'"/></xsl:call-template>
          </xsl:if>
        </p>
      </footer>
      <script>
addEventListener("load", function () {
  var page = performance.getEntriesByType("navigation")[0];
  var parts = (page &amp;&amp; page.serverTiming || []).map(function (t) { return t.name + " " + t.description + (isNaN(t.description) ? "" : " \u00b5s"); });
  if (parts.length) document.getElementById("timing").textContent = " The server: " + parts.join(", ") + ".";
});
</script>
    </body>
  </html>
</xsl:template>

<xsl:template name="link">
  <xsl:param name="to"/>
  <xsl:param name="label"/>
  <a href="/{$way}/{$to}.xml">
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

<xsl:template name="style">
  <style>
:root { color-scheme: light dark; --bg: #f7f5f1; --card: #fff; --ink: #1d2127; --soft: #59616d; --line: #e2ddd3; --mark: #b4341f; --c1: #b4341f; --c2: #1f6f8b; --c3: #c98a12; --c4: #4b7f3a; }
@media (prefers-color-scheme: dark) { :root { --bg: #15181c; --card: #1e2228; --ink: #e9e6df; --soft: #a3abb7; --line: #333941; --mark: #ff8a70; --c1: #ff8a70; --c2: #6cc0dc; --c3: #f0bd58; --c4: #94c981; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 1.0625rem/1.6 ui-sans-serif, system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
main, .bar nav, footer { max-width: 68rem; margin: 0 auto; padding: 0 1.25rem; }
a { color: var(--mark); text-underline-offset: .2em; }
a:focus-visible { outline: 3px solid var(--c2); outline-offset: 3px; border-radius: 4px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }
.bar { background: var(--card); border-bottom: 1px solid var(--line); }
.bar nav { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; min-height: 3.75rem; }
.bar a { color: var(--soft); text-decoration: none; padding: .35rem 0; border-bottom: 2px solid transparent; }
.bar a:hover, .bar a[aria-current] { color: var(--ink); border-color: var(--mark); }
.bar .brand { font-weight: 700; color: var(--ink); margin-right: auto; border: 0; } .brand span { color: var(--mark); } @media (max-width: 30rem) { .bar .brand { flex-basis: 100%; padding-bottom: 0; } }
h1 { font: 700 clamp(2rem, 5vw, 3.25rem)/1.1 ui-serif, Georgia, "DejaVu Serif", serif; letter-spacing: -.02em; margin: 3rem 0 .75rem; text-wrap: balance; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.75rem 0 1rem; } h3 { font-size: 1.0625rem; line-height: 1.35; margin: 0; }
.lead { font-size: 1.2rem; color: var(--soft); max-width: 46rem; margin: 0 0 2rem; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1.25rem; padding: 0; margin: 0; list-style: none; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 1.25rem; display: flex; flex-direction: column; gap: .4rem; }
.card p { margin: 0; } .meta { color: var(--soft); font-size: .925rem; }
.card .foot { margin-top: auto; padding-top: .6rem; display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; }
.price { font-weight: 700; font-variant-numeric: tabular-nums; }
.pill { font-size: .825rem; border: 1px solid var(--line); border-radius: 99px; padding: .05rem .65rem; color: var(--soft); white-space: nowrap; } .pill.low { color: var(--mark); border-color: currentColor; }
.cover { height: 5.5rem; margin: -1.25rem -1.25rem .5rem; border-radius: 13px 13px 0 0; display: grid; place-items: center; font: 700 2rem ui-serif, Georgia, serif; }
.grid.wide { grid-template-columns: repeat(auto-fill, minmax(min(27rem, 100%), 1fr)); }
pre { background: var(--bg); border: 1px solid var(--line); border-radius: 8px; padding: .75rem .9rem; overflow-x: auto; font: .825rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; margin: .4rem 0 0; }
.stories { list-style: none; padding: 0; margin: 0; } .stories li { display: grid; grid-template-columns: 9rem 1fr; gap: .25rem 1.75rem; padding: 1.5rem 0; border-top: 1px solid var(--line); }
.stories h2 { margin: 0 0 .25rem; } .stories h2 a { color: inherit; text-decoration: none; } .stories h2 a:hover { text-decoration: underline; } .stories p { margin: .2rem 0; }
@media (max-width: 40rem) { .stories li { grid-template-columns: 1fr; } }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 1.25rem; } figcaption { font-weight: 600; margin-bottom: .75rem; } figure svg { width: 100%; height: auto; display: block; }
.charts { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); }
svg text { fill: var(--soft); font-size: 12px; font-family: inherit; } svg .rule { stroke: var(--line); stroke-width: 1; }
.s1 { fill: var(--c1); stroke: var(--c1); } .s2 { fill: var(--c2); stroke: var(--c2); } .s3 { fill: var(--c3); stroke: var(--c3); } .s4 { fill: var(--c4); stroke: var(--c4); }
polyline.s1, polyline.s2, polyline.s3, polyline.s4 { fill: none; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round; } rect.s1, rect.s2, rect.s3, rect.s4 { stroke: none; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 14px; }
table { border-collapse: collapse; width: 100%; font-size: .925rem; font-variant-numeric: tabular-nums; } caption { text-align: left; font-weight: 600; padding: 1rem 1.25rem .5rem; }
th, td { text-align: right; padding: .5rem .6rem; border-top: 1px solid var(--line); } th:first-child { text-align: left; padding-left: 1.25rem; } td:last-child, th:last-child { padding-right: 1.25rem; font-weight: 700; } thead th { color: var(--soft); font-weight: 600; font-size: .9rem; border-top: 0; } tfoot td, tfoot th { font-weight: 700; }
td.best { color: var(--mark); font-weight: 700; }
footer { margin-top: 4rem; padding-bottom: 3rem; color: var(--soft); font-size: .925rem; } footer p:first-child { border-top: 1px solid var(--line); padding-top: 1.25rem; } .links { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; } .links a[aria-current] { color: var(--ink); text-decoration: none; font-weight: 600; }
</style>
</xsl:template>
</xsl:stylesheet>
