<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="page.xsl"/>
<xsl:variable name="page" select="'index'"/>

<xsl:template match="site" mode="title"><xsl:value-of select="title"/> - mod_gpuxml</xsl:template>

<xsl:template match="site" mode="main">
  <h1><xsl:value-of select="title"/></h1>
  <p class="lead"><xsl:value-of select="lead"/></p>
  <p class="actions"><a class="button" href="/try.xml">Try a stylesheet</a> <a class="button quiet" href="/live.xml">This server's figures</a> <a class="button quiet" href="/docs/docs-readme.xml">Documentation</a></p>
  <ul class="points"><xsl:apply-templates select="point"/></ul>
  <h2>Three pages, each made three ways</h2>
  <ul class="grid"><xsl:apply-templates select="page"/></ul>
  <h2>How each way is set up</h2>
  <div class="grid wide"><xsl:apply-templates select="way"/></div>
</xsl:template>

<xsl:template match="point"><li><h3><xsl:value-of select="@title"/></h3><p><xsl:value-of select="."/></p></li></xsl:template>

<xsl:template match="page">
  <xsl:variable name="page" select="."/>
  <li class="card">
    <h3><a href="/static/{@name}.xml"><xsl:value-of select="@title"/></a></h3>
    <p class="meta"><xsl:value-of select="what"/></p>
    <p class="foot">
      <xsl:for-each select="../way">
        <a href="/{@name}/{$page/@name}.xml" aria-label="{$page/@title}: {@title}"><xsl:value-of select="@name"/></a>
      </xsl:for-each>
      <a href="/raw/{@name}.xml" aria-label="{@title}: the XML">XML</a>
    </p>
  </li>
</xsl:template>

<xsl:template match="way">
  <section class="card">
    <h3><xsl:value-of select="@title"/></h3>
    <p class="meta"><xsl:value-of select="how"/></p>
    <pre tabindex="0"><xsl:value-of select="conf"/></pre>
  </section>
</xsl:template>
</xsl:stylesheet>
