<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="page.xsl"/>
<xsl:variable name="page" select="'catalogue'"/>
<xsl:key name="category" match="book" use="@category"/>

<xsl:template match="catalogue" mode="title"><xsl:value-of select="title"/></xsl:template>

<xsl:template match="catalogue" mode="main">
  <h1><xsl:value-of select="title"/></h1>
  <p class="lead"><xsl:value-of select="about"/> <xsl:text> </xsl:text>
    <xsl:value-of select="count(book)"/> titles, <xsl:value-of select="sum(book/stock)"/> copies, from
    <xsl:for-each select="book"><xsl:sort select="price" data-type="number"/><xsl:if test="position() = 1"><xsl:apply-templates select="price"/></xsl:if></xsl:for-each>.</p>
  <!-- one section a category: the first book of each, found with the key -->
  <xsl:for-each select="book[generate-id() = generate-id(key('category', @category)[1])]">
    <xsl:sort select="@category"/>
    <section aria-labelledby="c-{@category}">
      <h2 id="c-{@category}"><xsl:value-of select="@category"/> <xsl:text> </xsl:text> <span class="pill"><xsl:value-of select="count(key('category', @category))"/></span></h2>
      <ul class="grid">
        <xsl:apply-templates select="key('category', @category)"><xsl:sort select="title"/></xsl:apply-templates>
      </ul>
    </section>
  </xsl:for-each>
</xsl:template>

<xsl:template match="book">
  <li class="card" id="{@id}">
    <div class="cover" aria-hidden="true" style="background: linear-gradient(135deg, hsl({@hue} 55% 82%), hsl({@hue + 35} 50% 68%)); color: hsl({@hue} 60% 24%)"><xsl:value-of select="substring(title, 1 + 4 * starts-with(title, 'The ') + 2 * starts-with(title, 'A '), 1)"/></div>
    <h3><xsl:value-of select="title"/></h3>
    <p class="meta"><xsl:value-of select="author"/>, <xsl:value-of select="year"/></p>
    <p><xsl:value-of select="blurb"/></p>
    <p class="foot"><span class="price"><xsl:apply-templates select="price"/></span><xsl:apply-templates select="stock"/></p>
  </li>
</xsl:template>

<xsl:template match="price"><xsl:value-of select="concat(/catalogue/@currency, format-number(., '#,##0.00'))"/></xsl:template>

<xsl:template match="stock"><span class="pill"><xsl:value-of select="."/> in stock</span></xsl:template>
<xsl:template match="stock[. &lt; 6]"><span class="pill low">only <xsl:value-of select="."/> left</span></xsl:template>
<xsl:template match="stock[. = 0]" priority="1"><span class="pill low">sold out</span></xsl:template>
</xsl:stylesheet>
