<!-- siblings.xsl with nodes of one document: for all teams -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output indent="yes" omit-xml-declaration="yes"/>
  <xsl:variable name="tree"><i v="1"/><i v="2"/>text<i v="4"/></xsl:variable>
  <xsl:variable name="other"><i v="8"/></xsl:variable>
  <xsl:variable name="nodes" select="//node() | //@* | /"/>
  <xsl:template match="/">
    <all>
      <xsl:for-each select="$nodes"><xsl:call-template name="row"/></xsl:for-each>
      <sorted><xsl:for-each select="$nodes"><xsl:sort select="@v" data-type="number" order="descending"/><xsl:sort select="name()"/><xsl:call-template name="row"/></xsl:for-each></sorted>
      <rules><xsl:apply-templates select="//i"/></rules>
    </all>
  </xsl:template>
  <xsl:template name="row">
    <row n="{name()}" v="{@v}" count="{count(../i)} {count(../../g/i)} {count(..)}" sum="{sum(../i/@v) + count(../node())} {@v div sum(../i/@v)}">
      <xsl:attribute name="first"><xsl:value-of select="concat(../i/@v, '-', ../i[1]/@v, '-', ../i[last()]/@v, '-', ../i[2]/@v, '-', name(../*[not(self::i)]), '-', boolean(../i[@v > 2]))"/></xsl:attribute>
      <xsl:attribute name="less"><xsl:value-of select="concat(count(../i[@v &lt; current()/@v]), ' ', count(../i[@v >= current()/@v]), ' ', count(../i[@v = number(current()/@v)]), ' ', count(../i[. = current()]))"/></xsl:attribute>
      <xsl:attribute name="path"><xsl:value-of select="concat(count(../i[../i/@v > @v]), ' ', count(../i[position() = count(../i)]), ' ', count(../i | /r/g), ' ', ../i[$nodes]/@v)"/></xsl:attribute>
    </row>
  </xsl:template>
  <xsl:template match="i[@v = ../i[last()]/@v]"><last v="{@v}" n="{count(../i)}"/></xsl:template>
  <xsl:template match="i"><i v="{@v}" n="{count(../i)}"/></xsl:template>
</xsl:stylesheet>
