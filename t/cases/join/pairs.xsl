<!-- Inequalities beside orders, counted; cells of tables; look-ups by the strings of a fragment. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:set="http://exslt.org/sets" xmlns:math="http://exslt.org/math" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="set math exsl">
<xsl:output method="text"/>
<xsl:key name="kind" match="row" use="@k"/>
<xsl:variable name="all" select="//row"/>
<xsl:template match="/"><xsl:for-each select="t/g/row">
<xsl:value-of select="@id"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v > current()/@v][@k != current()/@k])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v > current()/@v and @w &lt; current()/@w and @k != current()/@k])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@k != current()/@k][@v != current()/@v]) - count(//row[@k != current()/@k and @w >= 3])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v >= current()/@v][@k != current()/@k])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v != number(current()/@v)][@w > current()/@w])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//b[. > current()/b]/ancestor::row)"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@k = current()/@k][not(@v > //row[@k = current()/@k]/@v)])"/>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="k" select="@k"/><xsl:variable name="v" select="@v"/><xsl:for-each select="/t/g"><xsl:value-of select="sum(row[@k = $k]/@v)"/>/<xsl:value-of select="count(row[@v &gt; $v])"/>/<xsl:value-of select="count(row[@k = $k][1])"/>/<xsl:value-of select="count(row[@k = $k]) * position()"/>,</xsl:for-each></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="r" select="."/><xsl:for-each select="/t/g | /t/g/row[1]"><xsl:value-of select="count(row[@k = $r/@k])"/>,<xsl:value-of select="sum(.//b[. = $r/b])"/>,</xsl:for-each></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="x"><a k="{@k}"/><a k="{@v}"/></xsl:variable><xsl:value-of select="count(//row[@k = exsl:node-set($x)/a/@k])"/>,<xsl:value-of select="//row[exsl:node-set($x)/a/@k = @v][2]/@id"/></xsl:for-each>
<xsl:text>
</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
