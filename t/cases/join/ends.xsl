<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- the first or last few nodes that a comparison with each row finds -->
<xsl:output method="text"/>
<xsl:variable name="all" select="//row"/>
<xsl:variable name="none" select="//absent"/>
<xsl:template match="/"><xsl:for-each select="//row"><xsl:value-of select="concat(position(), ':')"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@v > current()/@v][1]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@v > current()/@v]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@v &lt;= current()/@w][last()]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v &gt;= current()/@v])[last()]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v &lt; current()/@w])[1]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[@v &lt; current()/@w]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[@v &lt; current()/@w][1]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@v &gt; current()/@v][3]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@v &gt; current()/@v][position() &lt; 4][last()]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="count($all[@v &gt; current()/@w][position() &lt; 6])"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@v &gt; current()/@w][position() &lt; 12][last()]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@v &lt; current()/@v][not(@v &lt; current()/@w)][1]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="count($all[@v &lt; current()/@v][not(@v &lt; current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="count($all[@v &lt; current()/@v][not(@v &gt; current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[not(@v &lt;= current()/@w)][@v &lt; 15 + current()/@v][last()]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@v &gt;= current()/@w and @v &lt; current()/@v][1]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@v &gt;= current()/@w and @v &lt; current()/@v][last()]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@v &lt; current()/@v and @w &gt; current()/@w][1]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@v &lt; current()/@v and @w &gt; current()/@w][last()]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@v &lt; current()/@v and @w &gt; current()/@w][2]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[t &gt; current()/t][1]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[t &gt; current()/t and t &lt; current()/@v][last()]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@k != current()/@k][1]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@k != current()/@k][last()]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[@k != current()/@k][2]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[t != current()/t])[last()]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[t != current()/t]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="$all[number(@v) != number(current()/@w)][1]/@n"/>
<xsl:text> </xsl:text><xsl:value-of select="string($all[@v &gt; current()/@v]/..//@n)"/>
<xsl:text> </xsl:text><xsl:value-of select="generate-id($all[@v &gt; current()/@v][1]) = generate-id($all[@v &gt; current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="$none[@v &gt; current()/@v][1]"/>
<xsl:text> </xsl:text><xsl:value-of select="sum($all[@v &gt; current()/@v][position() &lt; 3]/@v)"/>
<xsl:text>&#10;</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
