<!-- What reads little of the row, once for all rows that read the same; variables whose rows share a list; the first few, counted. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:set="http://exslt.org/sets" xmlns:math="http://exslt.org/math" exclude-result-prefixes="set math">
<xsl:output method="text"/>
<xsl:key name="kind" match="row" use="@k"/>
<xsl:variable name="all" select="//row"/>
<xsl:template match="/"><xsl:for-each select="t/g/row">
<xsl:value-of select="@id"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[concat(@k, current()/@k) = concat(current()/@k, @v)])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[contains(concat(@k, '-', current()/@k), 'a-a')])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="//row[key('kind', @k)[@v = current()/@v]][2]/@id"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v * current()/@v > 12]) + position()"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v * current()/@v > 12][@w = current()/@w]) = count(//row[@w div current()/@v > 1])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="//row[@v * count(current()/b) > 12][last()]/@id"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[count(b | current()/b) = 2])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v * position() > count(current()/b) * 3])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="math:lowest(//row[@k = current()/@k]/@v)/../@id"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="math:highest(key('kind', @k)/@v)/../@id"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(set:distinct(//row[@k = current()/@k]/@w))"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(set:difference(//row, key('kind', @k)))"/>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="g" select="//row[@k = current()/@k]"/><xsl:value-of select="$g[not(@v &lt; $g/@v)]/@id"/>,<xsl:value-of select="$g[2]/@id"/>,<xsl:value-of select="count($g[@v &gt; current()/@v])"/>,<xsl:value-of select="generate-id($g[1]) = generate-id()"/>,<xsl:value-of select="count($g | .) = count($g)"/>,<xsl:for-each select="$g[@v * count($g) &gt; 5]"><xsl:value-of select="@id"/></xsl:for-each></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="g" select="key('kind', @k)"/><xsl:variable name="h" select="$g[@v]"/><xsl:variable name="n" select="count($g)"/><xsl:value-of select="sum($h/@v) div $n"/>,<xsl:for-each select="$h[@v * $n &gt; sum($h/@v)]"><xsl:sort select="@v" data-type="number"/><xsl:value-of select="@id"/></xsl:for-each></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="g" select="//row[@v &gt; current()/@v]"/><xsl:value-of select="count($g)"/>,<xsl:value-of select="$g[last()]/@id"/>,<xsl:value-of select="sum($g/@w)"/>,<xsl:copy-of select="$g[1]/b[1]"/></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="some" select="@v &gt; 5"/><xsl:variable name="s" select="string(@k)"/><xsl:variable name="v" select="number(@v)"/><xsl:value-of select="$all[$some or concat(@k, $s) = 'abab'][3]/@id"/>,<xsl:value-of select="count($all[@v * $v = 10])"/>,<xsl:value-of select="count($all[1 div (@v * 0 * $v) &lt; 0])"/></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count($all[@v > current()/@v][1])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count($all[@v > current()/@v][last()])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count($all[@v > current()/@v][position() &lt; 4])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="boolean($all[@v > current()/@v][1]) and count((//row[@k != current()/@k])[1]) = 1"/>
<xsl:text>
</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
