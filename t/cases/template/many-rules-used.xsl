<!-- More rules are used at once than are walked for one after the other: frames, places and parameters are those of each node. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output indent="no"/>
  <xsl:template match="/t">
    <o><xsl:apply-templates select="g"/></o>
  </xsl:template>
  <xsl:template match="g">
    <g><xsl:apply-templates select="node()"><xsl:with-param name="p" select="@k"/></xsl:apply-templates></g>
    <s><xsl:apply-templates select="*"><xsl:sort select="." data-type="number" order="descending"/></xsl:apply-templates></s>
  </xsl:template>
  <xsl:template match="e0"><xsl:param name="p" select="0"/><r0 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r0></xsl:template>
  <xsl:template match="e1"><xsl:param name="p" select="0"/><r1 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r1></xsl:template>
  <xsl:template match="e2"><xsl:param name="p" select="0"/><r2 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r2></xsl:template>
  <xsl:template match="e3"><xsl:param name="p" select="0"/><r3 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r3></xsl:template>
  <xsl:template match="e4"><xsl:param name="p" select="0"/><r4 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r4></xsl:template>
  <xsl:template match="e5"><xsl:param name="p" select="0"/><r5 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r5></xsl:template>
  <xsl:template match="e6"><xsl:param name="p" select="0"/><r6 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r6></xsl:template>
  <xsl:template match="e7"><xsl:param name="p" select="0"/><r7 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r7></xsl:template>
  <xsl:template match="e8"><xsl:param name="p" select="0"/><r8 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r8></xsl:template>
  <xsl:template match="e9"><xsl:param name="p" select="0"/><r9 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r9></xsl:template>
  <xsl:template match="e10"><xsl:param name="p" select="0"/><r10 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r10></xsl:template>
  <xsl:template match="e11"><xsl:param name="p" select="0"/><r11 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r11></xsl:template>
  <xsl:template match="e12"><xsl:param name="p" select="0"/><r12 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r12></xsl:template>
  <xsl:template match="e13"><xsl:param name="p" select="0"/><r13 n="{position()}/{last()}" p="{$p}"><xsl:value-of select="."/></r13></xsl:template>
  <xsl:template match="e3[. > 50]"><big><xsl:apply-templates/></big></xsl:template>
  <xsl:template match="x"/>
</xsl:stylesheet>
