<!-- place.xsl with nodes of one document: for all teams -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output indent="yes" omit-xml-declaration="yes"/>
  <xsl:variable name="all" select="//i"/>
  <xsl:variable name="two" select="count(//g[@n = 1.5]/i)"/>
  <xsl:variable name="tree"><i>x</i><i>y</i></xsl:variable>
  <xsl:variable name="both" select="//i | //k"/>
  <xsl:template match="/">
    <all>
      <xsl:apply-templates select="//g | //i"/>
      <none><xsl:for-each select="//none"><xsl:variable name="p" select="position()"/><xsl:value-of select="$all[$p]"/></xsl:for-each></none>
    </all>
  </xsl:template>
  <xsl:template match="*">
    <xsl:variable name="n" select="number(@n)"/>
    <xsl:variable name="p" select="position()"/>
    <xsl:variable name="some" select="i"/>
    <xsl:variable name="set" select="@n"/>
    <row n="{@n}" p="{$p}">
      <sets><xsl:value-of select="concat($all[$n], '-', $all[$p], '-', $all[$p + 1][1], '-', $all[$two], '-', $some[$n], '-', $some[$two], '-', (//g)[$p]/@n, '-', $both[last() - $p], '-', $all[$set], '-', $all[position() = $set])"/></sets>
      <steps><xsl:value-of select="concat(i[$n], '-', i[position() = $n], '-', i[$two], '-', ../*[$p], '-', //i[$n], '-', count(//i[$n]), '-', count(//i[$two = position()]), '-', /r/g[$p]/@n, '-', count(/r/g/i[$n]), '-', count(.//i[$two]))"/></steps>
      <axes><xsl:value-of select="concat(preceding-sibling::*[$two]/@n, '-', following-sibling::*[$two]/@n, '-', name(ancestor::*[$two]), '-', count(preceding::i[$p]), preceding::i[$two], '-', following::i[$n], '-', @*[$n], '-', ancestor-or-self::node()[$n]/@n, '-', node()[$two], '-', descendant::node()[$n])"/></axes>
      <more><xsl:value-of select="concat($all[. > ''][$n], '-', i[k][$n], '-', i[$n][k], '-', $all[position() > 2][$n], '-', $all[$n][$two], '-', i[$two][last()], '-', count($all[../i[$n]]), '-', count(//g[i[$two]]), '-', count(//g[count(i) = $two][$n]))"/></more>
      <in><xsl:value-of select="concat($all[count(current()/preceding::i) + 1], '-', //g[count(current()/i)]/@n, '-', $all[$p * 0.5], '-', $all[$n div 0], '-', i[-$n], '-', boolean(i[$n]), '-', sum(/r/g[$p]/@n), '-', /r/g[$p]/i[$two], '-', //*[$two]/*[$n])"/></in>
      <xsl:for-each select="i"><xsl:variable name="m" select="position()"/><i><xsl:value-of select="concat(../i[$m], '-', ../i[$m + 1], '-', ../../g[$m]/@n, '-', $some[$m], '-', $all[$n][$m], '-', ../i[position() = last() - $m])"/></i></xsl:for-each>
    </row>
  </xsl:template>
</xsl:stylesheet>
