<!-- Sums, counts and comparisons of what an order finds, whole numbers and others. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:key name="kind" match="row" use="@k"/>
<xsl:variable name="all" select="//row"/>
<xsl:template match="/"><xsl:for-each select="t/g/row">
<xsl:value-of select="@id"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v &lt; current()/@v]/@w)"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="sum($all[@v >= current()/@v]/@v)"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v > current()/@v])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@w > current()/@v and @w &lt; current()/@v + 4]/@w)"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v &lt; current()/@v]/b)"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v > current()/@v][@k = current()/@k]/@w)"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="sum($all[@w > current()/@w]/@w) div count($all[@w > current()/@w]/@w)"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v > current()/@v]/b)"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@w &lt;= current()/@w]/@ref)"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@w &lt;= current()/@w]/c)"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v > current()/@v]/x)"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v > current()/@v]/@w > @w)"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="//row[@v > current()/@v]/@w = @w"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="//row[@v > current()/@v]/@k != @k"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="//row[@w > current()/@w]/b = c"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="//row[@v > current()/@v] > 3"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[b > current()/@v]/c = current()/b)"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[b > current()/@w]/@w)"/>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="v" select="@v"/><xsl:value-of select="sum($all[@v > $v]/@w)"/></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="v" select="@v"/><xsl:for-each select="$all[@v > $v]/b[1]"><xsl:if test="position() &lt; 4"><xsl:value-of select="."/></xsl:if></xsl:for-each></xsl:for-each>
<xsl:text>
</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
