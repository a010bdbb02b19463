<!-- A variable's nodes, or those of a path, by a comparison with something of the row's: looked up or sorted (machine/join.h), whatever the types. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="exsl">
  <xsl:output indent="yes" omit-xml-declaration="yes"/>
  <xsl:variable name="all" select="//row"/>
  <xsl:variable name="tree"><row id="a" v="3"/><row id="q" v="7"/><row id="a" v="8"/></xsl:variable>
  <xsl:variable name="two" select="//row | exsl:node-set($tree)/row | document('')//xsl:variable[@name = 'tree']/row"/>
  <xsl:variable name="mixed" select="//row/@id | //n | //n/text() | //also"/>
  <xsl:template match="/">
    <all>
      <xsl:for-each select="//ref">
        <text>
          <xsl:for-each select="$all[@id = current()/@to]"><xsl:value-of select="concat(@id, @v, ' ')"/></xsl:for-each>
          <xsl:text>/ </xsl:text>
          <xsl:for-each select="$all[@id = current()/also]"><xsl:value-of select="concat(@id, @v, ' ')"/></xsl:for-each>
          <xsl:text>/ </xsl:text>
          <xsl:value-of select="concat(count($all[@id = current()/also]), count($all[current()/@to = @id]), boolean($all[@id = current()/@to]), not($all[@id = current()/also]))"/>
        </text>
      </xsl:for-each>
      <xsl:for-each select="$all">
        <xsl:variable name="v" select="@v"/>
        <xsl:variable name="n" select="number(@v)"/>
        <xsl:variable name="g" select="concat(@g, '')"/>
        <xsl:variable name="f"><xsl:value-of select="@g"/></xsl:variable>
        <xsl:variable name="b" select="boolean(@v)"/>
        <xsl:variable name="s" select="n"/>
        <row>
          <lt><xsl:value-of select="concat(count($all[@v &lt; $v]), count(//row[@v &lt; current()/@v]), count($all[@v &lt; number($v)]))"/></lt>
          <le><xsl:value-of select="concat(count($all[@v &lt;= $v]), count($all[$n >= @v]), count($all[number(@v) &lt;= $n]))"/></le>
          <gt><xsl:value-of select="concat(count($all[@v > $v]), count($all[n > $v]), count(//row[n > current()/n]), count($all[$s > n]))"/></gt>
          <ge><xsl:value-of select="concat(count($all[@v >= $n]), boolean($all[n >= $n]), not(//row[n >= current()/n]))"/></ge>
          <eq><xsl:value-of select="concat(count($all[@v = $n]), count($all[n = $n]), count($all[number(@v) = current()/n]), count($all[n = $s]))"/></eq>
          <types><xsl:value-of select="concat(count($all[@g = $g]), count($all[@g = $f]), count($all[@v = $b]), count($all[n > $b]), count($all[string-length(@g) = $n]))"/></types>
          <list><xsl:for-each select="$all[n > current()/@v]"><xsl:value-of select="concat(@id, @v, ' ')"/></xsl:for-each></list>
          <equal><xsl:for-each select="$all[number(@v) = $n]"><xsl:value-of select="concat(@id, @v, ' ')"/></xsl:for-each></equal>
          <place><xsl:value-of select="concat($all[@g = $g][2]/@id, ' ', $all[@g = $g][last()]/@id, ' ', $all[position() > 2][@g = $g]/@id, ' ', $all[@g = $g][position() > 1][@v = 10]/@id)"/></place>
          <more><xsl:value-of select="concat(count($all[@g = $g and @v > $n]), count($all[@v > $n and @g = $g]), count($all[@v > $n][@v &lt; $n + 8]), count($all[n][@g = $g]))"/></more>
          <docs><xsl:value-of select="concat(count($two[@id = current()/@id]), count($two[@v > current()/@v]), count($mixed[. = current()/@id]), count($mixed[. = $s]), count($mixed[. > $n]))"/></docs>
          <inner><xsl:value-of select="count($all[count($all[@g = current()/@g]) > 2 or n[. = $v]])"/></inner>
          <xsl:for-each select="n[1]">
            <xsl:variable name="all" select="../n"/>
            <shadow><xsl:value-of select="concat(count($all[. = current()]), count($all[. > $n]))"/></shadow>
          </xsl:for-each>
        </row>
      </xsl:for-each>
      <xsl:apply-templates select="//row[1]"/>
    </all>
  </xsl:template>
  <xsl:template match="row">
    <xsl:call-template name="from"><xsl:with-param name="id" select="@id"/><xsl:with-param name="rows" select="$all[position() &lt; 6]"/></xsl:call-template>
    <xsl:call-template name="from"><xsl:with-param name="id" select="string(@id)"/><xsl:with-param name="rows" select="../row"/></xsl:call-template>
    <xsl:call-template name="from"><xsl:with-param name="id" select="true()"/><xsl:with-param name="rows" select="$two"/></xsl:call-template>
    <xsl:call-template name="from"><xsl:with-param name="id" select="3"/><xsl:with-param name="rows" select="//n"/></xsl:call-template>
  </xsl:template>
  <xsl:template name="from">
    <xsl:param name="id"/>
    <xsl:param name="rows"/>
    <from>
      <xsl:value-of select="concat(count($rows[@id = $id]), count($rows[@v = $id]), count($rows[$id &lt;= .]), count(//row[@id = $id]))"/>
      <xsl:for-each select="$rows[@id = $id] | //row[@v = $id]"><xsl:value-of select="concat(' ', @g)"/></xsl:for-each>
      <xsl:for-each select="n"><i><xsl:value-of select="count($rows[@v > current()])"/><xsl:value-of select="count($rows[@g = 'x'])"/></i></xsl:for-each>
    </from>
  </xsl:template>
</xsl:stylesheet>
