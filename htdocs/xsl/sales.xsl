<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="page.xsl"/>
<xsl:variable name="page" select="'sales'"/>

<!-- the charts' plane: 360 wide, so that labels keep their size on a phone; x from 40 to 354, y from 16 (the top value) down to 206 (zero) -->
<xsl:variable name="months" select="/sales/region[1]/month"/>
<xsl:variable name="top-month"><xsl:call-template name="top"><xsl:with-param name="values" select="/sales/region/month"/><xsl:with-param name="step" select="25"/></xsl:call-template></xsl:variable>
<xsl:variable name="regions-by-total"><xsl:for-each select="/sales/region"><xsl:sort select="sum(month)" data-type="number" order="descending"/><xsl:value-of select="concat(@name, ' ')"/></xsl:for-each></xsl:variable>

<!-- the smallest multiple of step that is not below any value -->
<xsl:template name="top">
  <xsl:param name="values"/>
  <xsl:param name="step"/>
  <xsl:for-each select="$values"><xsl:sort select="." data-type="number" order="descending"/>
    <xsl:if test="position() = 1"><xsl:value-of select="ceiling(. div $step) * $step"/></xsl:if>
  </xsl:for-each>
</xsl:template>

<xsl:template match="sales" mode="title">Sales <xsl:value-of select="@year"/></xsl:template>

<xsl:template match="sales" mode="main">
  <h1>Sales <xsl:value-of select="@year"/></h1>
  <p class="lead">
    <xsl:value-of select="format-number(sum(region/month), '#,##0')"/><xsl:text> </xsl:text><xsl:value-of select="@unit"/> in
    <xsl:value-of select="count(region)"/> regions, led by the <xsl:value-of select="substring-before($regions-by-total, ' ')"/>.
  </p>
  <div class="charts">
    <figure><figcaption id="lines">Month by month</figcaption><xsl:call-template name="lines"/></figure>
    <figure><figcaption id="bars">The year by region</figcaption><xsl:call-template name="bars"/></figure>
  </div>
  <h2 id="figures">All the figures</h2>
  <p class="meta">Sales in <xsl:value-of select="@unit"/>, the best month of each region marked.</p>
  <div class="scroll" tabindex="0">
    <table aria-labelledby="figures">
      <thead>
        <tr><th scope="col">Region</th><xsl:for-each select="$months"><th scope="col"><xsl:value-of select="@name"/></th></xsl:for-each><th scope="col">Year</th></tr>
      </thead>
      <tbody><xsl:apply-templates select="region" mode="row"/></tbody>
      <tfoot>
        <tr>
          <th scope="row">Total</th>
          <xsl:for-each select="$months"><td><xsl:value-of select="format-number(sum(/sales/region/month[@name = current()/@name]), '0.0')"/></td></xsl:for-each>
          <td><xsl:value-of select="format-number(sum(region/month), '#,##0.0')"/></td>
        </tr>
      </tfoot>
    </table>
  </div>
</xsl:template>

<xsl:template match="region" mode="row">
  <tr>
    <th scope="row"><xsl:value-of select="@name"/></th>
    <xsl:for-each select="month">
      <td><xsl:if test="not(../month &gt; .)"><xsl:attribute name="class">best</xsl:attribute></xsl:if><xsl:value-of select="format-number(., '0.0')"/></td>
    </xsl:for-each>
    <td><xsl:value-of select="format-number(sum(month), '#,##0.0')"/></td>
  </tr>
</xsl:template>

<xsl:template name="lines" xmlns="http://www.w3.org/2000/svg">
  <svg viewBox="0 0 360 256" role="img" aria-labelledby="lines">
    <xsl:call-template name="rules"><xsl:with-param name="top" select="$top-month"/><xsl:with-param name="step" select="25"/></xsl:call-template>
    <xsl:for-each select="$months"><xsl:if test="position() mod 2 = 1"><text x="{46 + (position() - 1) * 27}" y="224" text-anchor="middle"><xsl:value-of select="@name"/></text></xsl:if></xsl:for-each>
    <xsl:for-each select="region">
      <polyline class="s{position()}"><xsl:attribute name="points"><xsl:for-each select="month"><xsl:value-of select="concat(46 + (position() - 1) * 27, ',', format-number(206 - . div $top-month * 190, '0.0'), ' ')"/></xsl:for-each></xsl:attribute></polyline>
      <rect class="s{position()}" x="{32 + (position() - 1) * 82}" y="239" width="10" height="10" rx="3"/>
      <text x="{46 + (position() - 1) * 82}" y="248"><xsl:value-of select="@name"/></text>
    </xsl:for-each>
  </svg>
</xsl:template>

<xsl:template name="bars" xmlns="http://www.w3.org/2000/svg">
  <xsl:variable name="highest"><xsl:for-each select="region"><xsl:sort select="sum(month)" data-type="number" order="descending"/><xsl:if test="position() = 1"><xsl:value-of select="ceiling(sum(month) div 250) * 250"/></xsl:if></xsl:for-each></xsl:variable>
  <svg viewBox="0 0 360 232" role="img" aria-labelledby="bars">
    <xsl:call-template name="rules"><xsl:with-param name="top" select="$highest"/><xsl:with-param name="step" select="250"/></xsl:call-template>
    <xsl:for-each select="region">
      <xsl:variable name="height" select="format-number(sum(month) div $highest * 190, '0.0')"/>
      <xsl:variable name="x" select="52 + (position() - 1) * 78"/>
      <rect class="s{position()}" x="{$x}" y="{206 - $height}" width="56" height="{$height}" rx="5"><title><xsl:value-of select="concat(@name, ': ', sum(month))"/></title></rect>
      <text x="{$x + 28}" y="{200 - $height}" text-anchor="middle"><xsl:value-of select="format-number(sum(month), '#,##0')"/></text>
      <text x="{$x + 28}" y="224" text-anchor="middle"><xsl:value-of select="@name"/></text>
    </xsl:for-each>
  </svg>
</xsl:template>

<!-- horizontal rules from 0 to top: recursion is XSLT 1.0's loop -->
<xsl:template name="rules" xmlns="http://www.w3.org/2000/svg">
  <xsl:param name="top"/>
  <xsl:param name="step"/>
  <xsl:param name="at" select="0"/>
  <xsl:variable name="y" select="format-number(206 - $at div $top * 190, '0.0')"/>
  <line class="rule" x1="40" x2="354" y1="{$y}" y2="{$y}"/>
  <text x="35" y="{$y + 4}" text-anchor="end"><xsl:value-of select="format-number($at, '#,##0')"/></text>
  <xsl:if test="$at &lt; $top">
    <xsl:call-template name="rules">
      <xsl:with-param name="top" select="$top"/>
      <xsl:with-param name="step" select="$step"/>
      <xsl:with-param name="at" select="$at + $step"/>
    </xsl:call-template>
  </xsl:if>
</xsl:template>
</xsl:stylesheet>
