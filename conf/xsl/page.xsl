<?xml version="1.0" encoding="UTF-8"?>
<!-- page.xsl: the frame that the other stylesheets here put their content into. Import it, and give it a title, a lead and a body:
     templates that match / in the modes "title", "lead" and "body". Everything is escaped: markup in a source is shown as text. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" encoding="UTF-8" doctype-system="about:legacy-compat" indent="no"/>
<xsl:param name="lang" select="'en'"/>

<xsl:template match="/">
<html lang="{$lang}">
<head>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title><xsl:apply-templates select="/" mode="title"/></title>
<xsl:apply-templates select="/" mode="head"/>
<style>
:root { color-scheme: light dark; --fg: #1c2024; --dim: #60666d; --bg: #fff; --line: #d9dce0; --link: #0b57b0; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6e8eb; --dim: #9aa1a9; --bg: #14171a; --line: #363c43; --link: #7db7ff; } }
body { margin: 0 auto; max-width: 46rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--fg); background: var(--bg); overflow-wrap: anywhere; }
a { color: var(--link); } h1 { font-size: 1.5rem; line-height: 1.2; } h2 { font-size: 1.1rem; margin: 0; }
.lead, .meta { color: var(--dim); } .meta { font-size: .875rem; } article { border-top: 1px solid var(--line); padding: .75rem 0; } article p { margin: .25rem 0 0; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; } th, td { text-align: left; padding: .25rem .5rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; } nav a { margin-right: .75rem; }
</style>
</head>
<body>
<h1><xsl:apply-templates select="/" mode="title"/></h1>
<p class="lead"><xsl:apply-templates select="/" mode="lead"/></p>
<xsl:apply-templates select="/" mode="body"/>
</body>
</html>
</xsl:template>

<xsl:template match="/" mode="head"/>

<!-- A link whose address is http, https, mailto or relative; anything else (javascript:) is shown, not linked. -->
<xsl:template name="link">
<xsl:param name="href"/><xsl:param name="text" select="$href"/>
<xsl:variable name="scheme" select="translate(substring-before(concat(translate($href, '/?#', ':::'), ':'), ':'), 'HTPSMAILO', 'htpsmailo')"/>
<xsl:choose>
<xsl:when test="$href = ''"><xsl:value-of select="$text"/></xsl:when>
<xsl:when test="$scheme = 'http' or $scheme = 'https' or $scheme = 'mailto' or not(starts-with(substring-after($href, substring-before(concat(translate($href, '/?#', ':::'), ':'), ':')), ':'))">
<a href="{$href}"><xsl:value-of select="$text"/></a></xsl:when>
<xsl:otherwise><xsl:value-of select="$text"/></xsl:otherwise>
</xsl:choose>
</xsl:template>

<!-- Text that may hold escaped markup, as feeds carry it: the tags are taken out. -->
<xsl:template name="plain">
<xsl:param name="text"/>
<xsl:choose>
<xsl:when test="contains($text, '&lt;') and contains(substring-after($text, '&lt;'), '&gt;')">
<xsl:value-of select="substring-before($text, '&lt;')"/><xsl:text> </xsl:text>
<xsl:call-template name="plain"><xsl:with-param name="text" select="substring-after(substring-after($text, '&lt;'), '&gt;')"/></xsl:call-template>
</xsl:when>
<xsl:otherwise><xsl:value-of select="$text"/></xsl:otherwise>
</xsl:choose>
</xsl:template>
</xsl:stylesheet>
