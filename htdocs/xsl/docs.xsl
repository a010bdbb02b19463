<?xml version="1.0" encoding="UTF-8"?>
<!-- A page of the documentation: tools/demo wrote it as XML -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="page.xsl"/>
<xsl:variable name="page" select="'docs'"/>

<xsl:template match="doc" mode="title"><xsl:value-of select="@title"/></xsl:template>
<xsl:template match="doc" mode="main">
  <p class="meta crumbs"><a href="/docs/docs-readme.xml">Documentation</a><xsl:if test="@name != 'docs-readme'"> / <xsl:value-of select="@title"/></xsl:if></p>
  <article class="text"><xsl:apply-templates mode="copy"/></article>
</xsl:template>

<xsl:template match="@*|node()" mode="copy"><xsl:copy><xsl:apply-templates select="@*|node()" mode="copy"/></xsl:copy></xsl:template>
<!-- wide things scroll by themselves, not the page -->
<xsl:template match="table" mode="copy"><div class="scroll" tabindex="0"><table><xsl:apply-templates select="@*|node()" mode="copy"/></table></div></xsl:template>
<xsl:template match="pre" mode="copy"><pre tabindex="0"><xsl:apply-templates mode="copy"/></pre></xsl:template>
</xsl:stylesheet>
