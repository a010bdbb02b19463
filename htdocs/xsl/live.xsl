<?xml version="1.0" encoding="UTF-8"?>
<!-- The running server's own figures: gpuxml-status?xml, made a page like any other document. live.js renews what is in #figures. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="page.xsl"/>
<xsl:variable name="page" select="'live'"/>
<xsl:decimal-format NaN="-"/>

<xsl:variable name="samples" select="/status/history/sample"/>

<xsl:template match="status" mode="title">Live figures</xsl:template>
<xsl:template match="status" mode="scripts"><script src="/live.js" defer="defer"></script></xsl:template>

<xsl:template match="status" mode="main">
  <h1>This server, now</h1>
  <p class="lead">Counted by the module in shared memory, printed as XML, made a page by a stylesheet like everything here.</p>
  <p class="actions"><button id="load" type="button" class="button" hidden="hidden">Ask for 600 pages</button> <a class="button quiet" href="/status">The full status page</a> <span id="said" role="status"></span></p>
  <div id="figures">
    <xsl:call-template name="tiles"/>
    <h2>Where the time goes</h2>
    <xsl:call-template name="stages"/>
    <xsl:if test="count($samples) &gt; 1">
      <h2>The last minutes</h2>
      <div class="charts">
        <xsl:call-template name="history"><xsl:with-param name="title" select="'Pages a second'"/><xsl:with-param name="id" select="'h1'"/><xsl:with-param name="values" select="$samples/@pages"/></xsl:call-template>
        <xsl:call-template name="history"><xsl:with-param name="title" select="'Time added: 99 % take less, in microseconds'"/><xsl:with-param name="id" select="'h2'"/><xsl:with-param name="values" select="$samples/@p99"/></xsl:call-template>
      </div>
    </xsl:if>
    <h2>By stylesheet</h2>
    <xsl:choose>
      <xsl:when test="stylesheet[@done &gt; 0]"><xsl:call-template name="sheets"/></xsl:when>
      <xsl:otherwise><p>Nothing was transformed yet.</p></xsl:otherwise>
    </xsl:choose>
    <p class="meta">Version <xsl:value-of select="@version"/>, engine <xsl:value-of select="@engine"/>, counting for <xsl:value-of select="format-number(@uptime, '#,##0')"/> seconds. For programs:
      <a href="/status?json">JSON</a>, <a href="/status?xml">XML</a>, <a href="/status?metrics">Prometheus</a>.</p>
  </div>
</xsl:template>

<xsl:template name="tiles">
  <xsl:variable name="hits" select="counter[@name = 'CacheHits']/@value"/>
  <xsl:variable name="total" select="stages/stage[@name = 'total']"/>
  <div class="tiles">
    <div class="tile"><b id="Done"><xsl:value-of select="format-number(counter[@name = 'Done']/@value, '#,##0')"/></b><span>pages made</span></div>
    <div class="tile"><b><xsl:call-template name="us"><xsl:with-param name="us" select="$total/@p50"/></xsl:call-template></b><span>median time added</span></div>
    <div class="tile"><b><xsl:call-template name="us"><xsl:with-param name="us" select="$total/@p99"/></xsl:call-template></b><span>99 % take less</span></div>
    <div class="tile"><b><xsl:value-of select="format-number($hits div ($hits + counter[@name = 'CacheMisses']/@value), '0 %')"/></b><span>documents from the cache</span></div>
    <div class="tile"><b><xsl:value-of select="format-number(sum(counter[starts-with(@name, 'Error')]/@value), '#,##0')"/></b><span>errors</span></div>
  </div>
</xsl:template>

<!-- a bar a stage: half of the requests end where the dark part does, 90 % where the light one does -->
<xsl:template name="stages">
  <xsl:variable name="most"><xsl:for-each select="stages/stage[@n &gt; 0]"><xsl:sort select="@p90" data-type="number" order="descending"/><xsl:if test="position() = 1"><xsl:value-of select="@p90"/></xsl:if></xsl:for-each></xsl:variable>
  <div class="bars">
    <xsl:for-each select="stages/stage[@n &gt; 0]">
      <div class="bar-name"><xsl:value-of select="@name"/></div>
      <div class="bar-space"><i class="bar-90" style="width: {format-number(@p90 div $most * 100, '0.0')}%"></i><i class="bar-50" style="width: {format-number(@p50 div $most * 100, '0.0')}%"></i></div>
      <div class="bar-value"><xsl:call-template name="us"><xsl:with-param name="us" select="@p50"/></xsl:call-template><span> / <xsl:call-template name="us"><xsl:with-param name="us" select="@p90"/></xsl:call-template></span></div>
    </xsl:for-each>
  </div>
  <p class="meta">Median / 90 %. “total” is what this module added to a response; reading the file or waiting for a program is not in it.</p>
</xsl:template>

<xsl:template name="history" xmlns="http://www.w3.org/2000/svg">
  <xsl:param name="title"/><xsl:param name="id"/><xsl:param name="values"/>
  <xsl:variable name="shown" select="$values[position() &gt; last() - 60]"/>
  <xsl:variable name="most"><xsl:for-each select="$shown"><xsl:sort select="." data-type="number" order="descending"/><xsl:if test="position() = 1"><xsl:value-of select=". + (. = 0)"/></xsl:if></xsl:for-each></xsl:variable>
  <figure xmlns=""><figcaption id="{$id}"><xsl:value-of select="$title"/></figcaption>
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 130" role="img" aria-labelledby="{$id}">
      <path class="rule" d="M6 20.5H354M6 65.5H354M6 110.5H354"/>
      <text x="6" y="14"><xsl:value-of select="format-number($most, '#,##0.#')"/></text>
      <text x="6" y="126">10 minutes ago</text><text x="354" y="126" text-anchor="end">now</text>
      <polyline class="s1"><xsl:attribute name="points"><xsl:for-each select="$shown">
        <xsl:value-of select="concat(format-number(354 - (last() - position()) * 5.8, '0.0'), ',', format-number(110.5 - . div $most * 90, '0.0'), ' ')"/>
      </xsl:for-each></xsl:attribute></polyline>
    </svg>
  </figure>
</xsl:template>

<xsl:template name="sheets">
  <div class="scroll" tabindex="0" id="sheets">
    <table>
      <thead><tr><th scope="col">Stylesheet</th><th scope="col">Pages</th><th scope="col">Errors</th><th scope="col">Median</th><th scope="col">99 %</th></tr></thead>
      <tbody>
        <xsl:for-each select="stylesheet[@done &gt; 0]">
          <xsl:sort select="@done" data-type="number" order="descending"/>
          <tr>
            <th scope="row"><xsl:choose><xsl:when test="contains(@name, '/xsl/')"><xsl:value-of select="concat('xsl/', substring-after(@name, '/xsl/'))"/></xsl:when><xsl:otherwise><xsl:value-of select="@name"/></xsl:otherwise></xsl:choose></th>
            <td><xsl:value-of select="format-number(@done, '#,##0')"/></td>
            <td><xsl:value-of select="format-number(@failed, '#,##0')"/></td>
            <td><xsl:call-template name="us"><xsl:with-param name="us" select="stage[@name = 'total']/@p50"/></xsl:call-template></td>
            <td><xsl:call-template name="us"><xsl:with-param name="us" select="stage[@name = 'total']/@p99"/></xsl:call-template></td>
          </tr>
        </xsl:for-each>
      </tbody>
    </table>
  </div>
</xsl:template>

<xsl:template name="us">
  <xsl:param name="us"/>
  <xsl:choose>
    <xsl:when test="$us &gt;= 1000"><xsl:value-of select="format-number($us div 1000, '0.#')"/> ms</xsl:when>
    <xsl:when test="$us &gt; 0"><xsl:value-of select="format-number($us, '0')"/> µs</xsl:when>
    <xsl:otherwise>-</xsl:otherwise>
  </xsl:choose>
</xsl:template>
</xsl:stylesheet>
