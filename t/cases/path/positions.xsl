<!-- Predicates that are ranges of positions, on forward and reverse axes, among others, and at their ends -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:variable name="all" select="//p"/>
  <xsl:template match="/">
    <xsl:for-each select="//p[@n]">
      <xsl:value-of select="@n"/>
      <xsl:text>:</xsl:text>
      <xsl:apply-templates select="following-sibling::p[position() &lt; 3]" mode="n"/>,<xsl:apply-templates select="preceding-sibling::p[position() &lt;= 2]" mode="n"/>
      <xsl:text>,</xsl:text>
      <xsl:apply-templates select="preceding-sibling::p[position() != 1]" mode="n"/>,<xsl:apply-templates select="preceding::p[3 > position()][2]" mode="n"/>
      <xsl:text>,</xsl:text>
      <xsl:apply-templates select="ancestor-or-self::*[position() >= 2]" mode="name"/>,<xsl:apply-templates select="../p[position() > 1 and position() &lt; 3.5]" mode="n"/>
      <xsl:text>,</xsl:text>
      <xsl:apply-templates select="(preceding::p|following::p)[2 &lt; position()][position() &lt; 1.5]" mode="n"/>,<xsl:apply-templates select="following::p[@n mod 2 = 1][position() &lt; 3]" mode="n"/>
      <xsl:text>,</xsl:text>
      <xsl:apply-templates select="$all[position() > 3]" mode="n"/>,<xsl:value-of select="count(following::p[position() &lt; 10])"/>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each>
    <xsl:apply-templates select="//p[position() &lt; 2]" mode="n"/>,<xsl:apply-templates select="//p[position() > 1]" mode="n"/>,<xsl:apply-templates select="(//p)[position() >= 1]" mode="n"/>
    <xsl:text>,</xsl:text>
    <xsl:value-of select="count(//p[position() &lt; 1])"/>,<xsl:value-of select="count(//p[position() > 3 and position() &lt; 3])"/>,<xsl:value-of select="count(//p[position() >= 3 and position() &lt;= 3])"/>
    <xsl:text>,</xsl:text>
    <xsl:value-of select="count($all[position() > 5][position() > 1])"/>,<xsl:value-of select="count($all[position() > 99])"/>,<xsl:value-of select="count($all[position() &lt; 70000])"/>
    <xsl:text>,</xsl:text>
    <xsl:value-of select="boolean(//p[position() > 4])"/>,<xsl:value-of select="boolean(//p[position() > 3])"/>,<xsl:value-of select="$all[position() > 2] = 'e'"/>
    <xsl:text>&#10;</xsl:text>
    <xsl:apply-templates select="//p"/>
  </xsl:template>
  <xsl:template match="p" mode="n"><xsl:value-of select="@n"/></xsl:template>
  <xsl:template match="*" mode="name"><xsl:value-of select="substring(name(), 1, 1)"/></xsl:template>
  <xsl:template match="p[position() &lt; 3]">[<xsl:value-of select="@n"/>]</xsl:template>
  <xsl:template match="p[position() > 1 and position() &lt; 4]" priority="2">(<xsl:value-of select="@n"/>)</xsl:template>
  <xsl:template match="p"><xsl:value-of select="@n"/></xsl:template>
</xsl:stylesheet>
