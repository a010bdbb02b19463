<?xml version="1.0" encoding="UTF-8"?>
<!-- The status page: gxm_status_xml()'s document (?xml shows it) to HTML. Nothing outside the page is loaded: styles and charts are in it. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" encoding="UTF-8" indent="no" doctype-system="about:legacy-compat"/>
<xsl:strip-space elements="*"/>
<xsl:decimal-format NaN="-"/>

<!-- a chart's drawing area -->
<xsl:variable name="width" select="300"/>
<xsl:variable name="height" select="90"/>
<xsl:variable name="samples" select="/status/history/sample"/>
<xsl:variable name="now" select="$samples[last()]"/>

<xsl:template match="/status">
<html lang="en">
<head>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="refresh" content="10"/>
<title>gpuxml status</title>
<link rel="icon" href="data:,"/>
<style>
:root { color-scheme: light dark; --fg: #1c2024; --dim: #60666d; --bg: #fff; --card: #f4f5f7; --line: #d9dce0; --a: #0b62c4; --b: #b4540a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6e8eb; --dim: #9aa1a9; --bg: #14171a; --card: #1e2226; --line: #363c43; --a: #6cb0ff; --b: #ffa85c; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1080px; padding: 16px; font: 15px/1.45 system-ui, sans-serif; color: var(--fg); background: var(--bg); }
h1 { font-size: 22px; margin: 0; } h2 { font-size: 17px; margin: 24px 0 8px; }
p { margin: 4px 0; color: var(--dim); }
.tiles, .charts { display: grid; gap: 10px; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); margin-top: 14px; }
.charts { grid-template-columns: repeat(auto-fill, minmax(min(320px, 100%), 1fr)); }
.tile, figure { background: var(--card); border-radius: 8px; padding: 10px 12px; margin: 0; }
.tile b { display: block; font-size: 22px; font-weight: 600; } .tile span { color: var(--dim); font-size: 13px; }
.bad b { color: var(--bad); }
figcaption { font-size: 14px; } svg { width: 100%; height: auto; display: block; margin-top: 6px; }
svg text { font: 11px system-ui, sans-serif; fill: var(--dim); }
.a { stroke: var(--a); } .b { stroke: var(--b); } polyline { fill: none; stroke-width: 1.5; } .grid { stroke: var(--line); }
i { font-style: normal; font-weight: 600; } i.a { color: var(--a); } i.b { color: var(--b); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { text-align: right; padding: 4px 8px; border-bottom: 1px solid var(--line); white-space: nowrap; } th { color: var(--dim); font-weight: 500; }
@media (max-width: 480px) { table { font-size: 13px; } th, td { padding: 4px 3px; } }
a { color: var(--a); }
th:first-child, td:first-child, td.text, th.text { text-align: left; } td.text { white-space: normal; } td.help { color: var(--dim); }
summary { cursor: pointer; margin-top: 20px; }
footer { margin-top: 28px; color: var(--dim); font-size: 13px; }
</style>
</head>
<body>
<h1>gpuxml <xsl:value-of select="@version"/></h1>
<p>Engine: <xsl:value-of select="@engine"/>. Counting for <xsl:call-template name="duration"><xsl:with-param name="s" select="@uptime"/></xsl:call-template>
<xsl:if test="counter[@name = 'Restarts']/@value &gt; 0">, across <xsl:value-of select="counter[@name = 'Restarts']/@value"/> restarts of httpd</xsl:if>.</p>
<xsl:call-template name="tiles"/>
<xsl:call-template name="charts"/>
<h2>Where the time goes</h2>
<div class="wide"><table>
<tr><th>Stage</th><th>Requests</th><th>Mean</th><th>Median</th><th>90 %</th><th>99 %</th></tr>
<xsl:for-each select="stages/stage">
<tr><td><xsl:value-of select="@name"/></td><td><xsl:value-of select="format-number(@n, '#,##0')"/></td>
<xsl:for-each select="@mean | @p50 | @p90 | @p99"><td><xsl:call-template name="us"><xsl:with-param name="us" select="."/></xsl:call-template></td></xsl:for-each></tr>
</xsl:for-each>
</table></div>
<p>“total” is what this module added to a response; waiting for the back end is not in it. Percentiles are exact to 19 %.</p>
<xsl:if test="device"><xsl:call-template name="devices"/></xsl:if>
<h2>Stylesheets and selections</h2>
<xsl:choose>
<xsl:when test="stylesheet"><xsl:call-template name="stylesheets"/></xsl:when>
<xsl:otherwise><p>Nothing was transformed yet.</p></xsl:otherwise>
</xsl:choose>
<details><summary>All counters</summary>
<div class="wide"><table><xsl:for-each select="counter">
<tr><td><xsl:value-of select="@name"/></td><td><xsl:value-of select="format-number(@value, '#,##0')"/></td><td class="text help"><xsl:value-of select="."/></td></tr>
</xsl:for-each></table></div></details>
<xsl:if test="@ways != ''"><p><xsl:value-of select="@ways"/>; load <xsl:value-of select="@load"/></p></xsl:if>
<footer>The same for programs: <a href="?auto">?auto</a>, <a href="?json">?json</a>, <a href="?xml">?xml</a>, <a href="?metrics">?metrics</a> (Prometheus).
This page was made by this module from ?xml, and loads itself anew every 10 seconds.</footer>
</body>
</html>
</xsl:template>

<xsl:template name="tiles">
<xsl:variable name="counters" select="counter"/>
<xsl:variable name="hits" select="counter[@name = 'CacheHits']/@value"/>
<xsl:variable name="asked" select="$hits + counter[@name = 'CacheMisses']/@value"/>
<xsl:variable name="errors" select="sum(counter[starts-with(@name, 'Error')]/@value)"/>
<div class="tiles">
<div class="tile"><b><xsl:value-of select="format-number(counter[@name = 'Done']/@value, '#,##0')"/></b><span>pages made</span></div>
<div class="tile"><b><xsl:value-of select="format-number($now/@pages, '#,##0.0')"/></b><span>pages a second, last 10 s</span></div>
<div class="tile"><b><xsl:call-template name="us"><xsl:with-param name="us" select="stages/stage[@name = 'total']/@p50"/></xsl:call-template></b><span>median time added</span></div>
<div class="tile"><b><xsl:call-template name="us"><xsl:with-param name="us" select="stages/stage[@name = 'total']/@p99"/></xsl:call-template></b><span>99 % take less</span></div>
<div class="tile"><xsl:if test="$errors &gt; 0"><xsl:attribute name="class">tile bad</xsl:attribute></xsl:if>
<b><xsl:value-of select="format-number($errors, '#,##0')"/></b><span>errors</span></div>
<div class="tile"><b><xsl:choose><xsl:when test="$asked &gt; 0"><xsl:value-of select="format-number($hits div $asked, '0 %')"/></xsl:when><xsl:otherwise>-</xsl:otherwise></xsl:choose></b><span>documents from the cache</span></div>
<xsl:if test="counter[@name = 'QueueSlots']">
<div class="tile"><b><xsl:value-of select="counter[@name = 'QueueWaiting']/@value"/> + <xsl:value-of select="counter[@name = 'QueueRunning']/@value"/></b><span>waiting + running in the worker</span></div>
<div class="tile"><xsl:if test="counter[@name = 'WorkerAlive']/@value = 0"><xsl:attribute name="class">tile bad</xsl:attribute></xsl:if>
<b><xsl:choose><xsl:when test="counter[@name = 'WorkerAlive']/@value = 1">alive</xsl:when><xsl:otherwise>gone</xsl:otherwise></xsl:choose></b>
<span>worker; it died <xsl:value-of select="counter[@name = 'WorkerDeaths']/@value"/> times</span></div>
</xsl:if>
<xsl:if test="device">
<div class="tile"><b><xsl:value-of select="format-number($now/@busy, '0 %')"/></b><span>GPU busy, last 10 s</span></div>
<div class="tile"><b><xsl:call-template name="bytes"><xsl:with-param name="n" select="sum(device/@MemoryUsedBytes)"/></xsl:call-template></b>
<span>GPU memory in use, of <xsl:call-template name="bytes"><xsl:with-param name="n" select="sum(device/@MemoryBytes)"/></xsl:call-template></span></div>
</xsl:if>
</div>
</xsl:template>

<xsl:template name="charts">
<h2>The last hour</h2>
<xsl:choose>
<xsl:when test="count($samples) &gt; 1">
<div class="charts">
<xsl:call-template name="chart"><xsl:with-param name="title">Pages a second, by <i class="a">threads</i> and <i class="b">worker</i></xsl:with-param>
<xsl:with-param name="a" select="$samples/@thread"/><xsl:with-param name="b" select="$samples/@worker"/></xsl:call-template>
<xsl:call-template name="chart"><xsl:with-param name="title">Time added: <i class="a">median</i> and <i class="b">99 %</i></xsl:with-param>
<xsl:with-param name="a" select="$samples/@p50"/><xsl:with-param name="b" select="$samples/@p99"/><xsl:with-param name="is-time" select="true()"/></xsl:call-template>
<xsl:call-template name="chart"><xsl:with-param name="title"><i class="a">Not modified</i> and <i class="b">errors</i> a second</xsl:with-param>
<xsl:with-param name="a" select="$samples/@notmodified"/><xsl:with-param name="b" select="$samples/@errors"/></xsl:call-template>
<xsl:call-template name="chart"><xsl:with-param name="title">Cache <i class="a">hits</i> and <i class="b">misses</i> a second</xsl:with-param>
<xsl:with-param name="a" select="$samples/@hits"/><xsl:with-param name="b" select="$samples/@misses"/></xsl:call-template>
<xsl:if test="counter[@name = 'QueueSlots']">
<xsl:call-template name="chart"><xsl:with-param name="title"><i class="a">Requests in the worker's queue</i></xsl:with-param>
<xsl:with-param name="a" select="$samples/@waiting"/></xsl:call-template>
</xsl:if>
<xsl:if test="device">
<xsl:call-template name="chart"><xsl:with-param name="title"><i class="a">Share of the time that the GPU is busy</i></xsl:with-param>
<xsl:with-param name="a" select="$samples/@busy"/></xsl:call-template>
<xsl:call-template name="chart"><xsl:with-param name="title"><i class="a">Requests of a batch, mean</i></xsl:with-param>
<xsl:with-param name="a" select="$samples/@batch"/></xsl:call-template>
</xsl:if>
</div>
</xsl:when>
<xsl:otherwise><p>Charts appear when there are two samples; one is taken every ten seconds.</p></xsl:otherwise>
</xsl:choose>
</xsl:template>

<!-- Two lines over the last hour. a, b: attributes of samples, in their order. -->
<xsl:template name="chart">
<xsl:param name="title"/><xsl:param name="a"/><xsl:param name="b" select="/.."/><xsl:param name="is-time" select="false()"/>
<xsl:variable name="max"><xsl:for-each select="$a | $b"><xsl:sort select="." data-type="number" order="descending"/>
<xsl:if test="position() = 1"><xsl:value-of select="."/></xsl:if></xsl:for-each></xsl:variable>
<xsl:variable name="top"><xsl:choose><xsl:when test="$max &gt; 0"><xsl:value-of select="$max"/></xsl:when><xsl:otherwise>1</xsl:otherwise></xsl:choose></xsl:variable>
<figure><figcaption><xsl:copy-of select="$title"/></figcaption>
<svg viewBox="0 -4 320 126" role="img">
<title><xsl:value-of select="$title"/></title>
<path class="grid" d="M10 12.5H310M10 57.5H310M10 102.5H310" fill="none"/>
<text x="10" y="9"><xsl:choose>
<xsl:when test="$is-time"><xsl:call-template name="us"><xsl:with-param name="us" select="$max"/></xsl:call-template></xsl:when>
<xsl:otherwise><xsl:value-of select="format-number($max, '#,##0.##')"/></xsl:otherwise></xsl:choose></text>
<text x="10" y="117">1 h ago</text><text x="310" y="117" text-anchor="end">now</text>
<xsl:call-template name="curve"><xsl:with-param name="values" select="$b"/><xsl:with-param name="class">b</xsl:with-param><xsl:with-param name="top" select="$top"/></xsl:call-template>
<xsl:call-template name="curve"><xsl:with-param name="values" select="$a"/><xsl:with-param name="class">a</xsl:with-param><xsl:with-param name="top" select="$top"/></xsl:call-template>
</svg></figure>
</xsl:template>

<xsl:template name="curve">
<xsl:param name="values"/><xsl:param name="class"/><xsl:param name="top"/>
<xsl:if test="$values">
<polyline class="{$class}"><xsl:attribute name="points"><xsl:for-each select="$values">
<xsl:variable name="x" select="310 - ../@t div 12"/>
<xsl:if test="$x &gt;= 10"><xsl:value-of select="format-number($x, '0.#')"/>,<xsl:value-of select="format-number(102.5 - . div $top * $height, '0.#')"/><xsl:text> </xsl:text></xsl:if>
</xsl:for-each></xsl:attribute></polyline>
</xsl:if>
</xsl:template>

<xsl:template name="devices">
<h2>GPUs</h2>
<div class="wide"><table>
<tr><th>Name</th><th>Memory in use</th><th>of</th><th>Busy</th><th>Batches</th><th>Requests in them</th><th>Mean batch</th><th>By the whole GPU</th><th>On a core instead</th><th>Matched with profiles</th></tr>
<xsl:for-each select="device">
<tr><td><xsl:value-of select="@name"/></td>
<xsl:for-each select="@MemoryUsedBytes | @MemoryBytes"><xsl:sort select="name() = 'MemoryBytes'"/><td><xsl:call-template name="bytes"><xsl:with-param name="n" select="."/></xsl:call-template></td></xsl:for-each>
<td><xsl:call-template name="us"><xsl:with-param name="us" select="@BusyUs"/></xsl:call-template></td>
<td><xsl:value-of select="format-number(@Batches, '#,##0')"/></td><td><xsl:value-of select="format-number(@BatchRequests, '#,##0')"/></td>
<td><xsl:choose><xsl:when test="@Batches &gt; 0"><xsl:value-of select="format-number(@BatchRequests div @Batches, '#,##0.#')"/></xsl:when><xsl:otherwise>-</xsl:otherwise></xsl:choose></td>
<td><xsl:value-of select="format-number(@GridRequests, '#,##0')"/></td><td><xsl:value-of select="format-number(@CoreRequests, '#,##0')"/></td>
<td><xsl:value-of select="format-number(@MatchRequests, '#,##0')"/><xsl:if test="@MatchSets &gt; 0"> (<xsl:value-of select="@MatchSets"/> sets)</xsl:if></td></tr>
</xsl:for-each>
</table></div>
<p>Batches by size: <xsl:for-each select="device[1]/batch"><xsl:variable name="at" select="position()"/><xsl:variable name="n" select="sum(/status/device/batch[position() = $at]/@n)"/>
<xsl:if test="$n &gt; 0"><xsl:value-of select="format-number($n, '#,##0')"/> of <xsl:value-of select="@from"/><xsl:choose><xsl:when test="position() = last()"> and more</xsl:when><xsl:when test="@from &gt; 1"> to <xsl:value-of select="2 * @from - 1"/></xsl:when></xsl:choose>; </xsl:if></xsl:for-each>
Busy: a launch of this server's was under way. Counted since the worker's start.</p>
</xsl:template>

<xsl:template name="stylesheets">
<div class="wide"><table>
<tr><th>Name</th><th>Pages</th><th>Errors</th><th>304</th><th>Median</th><th>99 %</th><th>Evaluate</th><th>In</th><th>Out</th><th>Memory</th><th>Threads</th><th>Worker</th><th class="text">Choices</th></tr>
<xsl:for-each select="stylesheet">
<xsl:sort select="@done + @failed + @notmodified" data-type="number" order="descending"/>
<tr><td><xsl:value-of select="@name"/></td>
<xsl:for-each select="@done | @failed | @notmodified"><td><xsl:value-of select="format-number(., '#,##0')"/></td></xsl:for-each>
<td><xsl:call-template name="us"><xsl:with-param name="us" select="stage[@name = 'total']/@p50"/></xsl:call-template></td>
<td><xsl:call-template name="us"><xsl:with-param name="us" select="stage[@name = 'total']/@p99"/></xsl:call-template></td>
<td><xsl:call-template name="us"><xsl:with-param name="us" select="stage[@name = 'evaluate']/@p50"/></xsl:call-template></td>
<xsl:for-each select="@in | @out | @arena"><td><xsl:call-template name="bytes"><xsl:with-param name="n" select="."/></xsl:call-template></td></xsl:for-each>
<xsl:for-each select="@thread | @worker"><td><xsl:value-of select="format-number(., '#,##0')"/></td></xsl:for-each>
<td class="text"><xsl:for-each select="choice"><xsl:if test="position() &gt; 1">, </xsl:if><xsl:value-of select="concat(@engine, ': ', @reason, ' ', format-number(@n, '#,##0'))"/></xsl:for-each><xsl:if test="@why != ''">; last <xsl:value-of select="@why"/></xsl:if></td></tr>
</xsl:for-each>
</table></div>
<p>In and Out are sums. Memory is the largest result. Choices say which engine was chosen, why and how often; where the cost model chose last, with its prices.</p>
</xsl:template>

<!-- microseconds for people -->
<xsl:template name="us">
<xsl:param name="us"/>
<xsl:choose>
<xsl:when test="$us &gt;= 1000000"><xsl:value-of select="format-number($us div 1000000, '0.##')"/> s</xsl:when>
<xsl:when test="$us &gt;= 1000"><xsl:value-of select="format-number($us div 1000, '0.##')"/> ms</xsl:when>
<xsl:when test="$us &gt; 0"><xsl:value-of select="format-number($us, '0')"/> µs</xsl:when>
<xsl:otherwise>-</xsl:otherwise>
</xsl:choose>
</xsl:template>

<xsl:template name="bytes">
<xsl:param name="n"/>
<xsl:choose>
<xsl:when test="$n &gt;= 1073741824"><xsl:value-of select="format-number($n div 1073741824, '0.##')"/> GiB</xsl:when>
<xsl:when test="$n &gt;= 1048576"><xsl:value-of select="format-number($n div 1048576, '0.#')"/> MiB</xsl:when>
<xsl:when test="$n &gt;= 1024"><xsl:value-of select="format-number($n div 1024, '0.#')"/> KiB</xsl:when>
<xsl:otherwise><xsl:value-of select="$n"/> B</xsl:otherwise>
</xsl:choose>
</xsl:template>

<xsl:template name="duration">
<xsl:param name="s"/>
<xsl:choose>
<xsl:when test="$s &gt;= 172800"><xsl:value-of select="floor($s div 86400)"/> days</xsl:when>
<xsl:when test="$s &gt;= 7200"><xsl:value-of select="floor($s div 3600)"/> hours</xsl:when>
<xsl:when test="$s &gt;= 120"><xsl:value-of select="floor($s div 60)"/> minutes</xsl:when>
<xsl:otherwise><xsl:value-of select="$s"/> seconds</xsl:otherwise>
</xsl:choose>
</xsl:template>
</xsl:stylesheet>
