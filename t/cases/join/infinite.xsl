<!-- Sums of the node and of the row where numbers are infinite: a sum that is NaN meets no condition. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/"><xsl:for-each select="t/row">
<xsl:value-of select="@n"/><xsl:text>
</xsl:text>
<xsl:for-each select="//row[@v + current()/@w >= current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w >= current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@v >= current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@v >= current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v - current()/@w >= current()/@v]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@w >= current()/@v])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[current()/@w - @v >= current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[current()/@w - @v >= current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@w >= @v + current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@w >= @v + current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w >= @w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w >= @w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[not(@v + current()/@w >= current()/@w)]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[not(@v + current()/@w >= current()/@w)])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w >= -1 div 0]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w >= -1 div 0])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v - current()/@w >= 1 div 0]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@w >= 1 div 0])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w &lt;= current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w &lt;= current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@v &lt;= current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@v &lt;= current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v - current()/@w &lt;= current()/@v]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@w &lt;= current()/@v])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[current()/@w - @v &lt;= current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[current()/@w - @v &lt;= current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@w &lt;= @v + current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@w &lt;= @v + current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w &lt;= @w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w &lt;= @w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[not(@v + current()/@w &lt;= current()/@w)]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[not(@v + current()/@w &lt;= current()/@w)])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w &lt;= -1 div 0]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w &lt;= -1 div 0])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v - current()/@w &lt;= 1 div 0]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@w &lt;= 1 div 0])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w > current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w > current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@v > current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@v > current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v - current()/@w > current()/@v]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@w > current()/@v])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[current()/@w - @v > current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[current()/@w - @v > current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@w > @v + current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@w > @v + current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w > @w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w > @w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[not(@v + current()/@w > current()/@w)]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[not(@v + current()/@w > current()/@w)])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w > -1 div 0]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w > -1 div 0])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v - current()/@w > 1 div 0]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@w > 1 div 0])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w &lt; current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w &lt; current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@v &lt; current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@v &lt; current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v - current()/@w &lt; current()/@v]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@w &lt; current()/@v])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[current()/@w - @v &lt; current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[current()/@w - @v &lt; current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@w &lt; @v + current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@w &lt; @v + current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w &lt; @w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w &lt; @w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[not(@v + current()/@w &lt; current()/@w)]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[not(@v + current()/@w &lt; current()/@w)])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w &lt; -1 div 0]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w &lt; -1 div 0])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v - current()/@w &lt; 1 div 0]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@w &lt; 1 div 0])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w = current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w = current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@v = current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@v = current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v - current()/@w = current()/@v]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@w = current()/@v])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[current()/@w - @v = current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[current()/@w - @v = current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@w = @v + current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@w = @v + current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w = @w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w = @w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[not(@v + current()/@w = current()/@w)]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[not(@v + current()/@w = current()/@w)])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w = -1 div 0]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w = -1 div 0])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v - current()/@w = 1 div 0]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@w = 1 div 0])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w != current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w != current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@v != current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@v != current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v - current()/@w != current()/@v]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@w != current()/@v])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[current()/@w - @v != current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[current()/@w - @v != current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@w != @v + current()/@w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@w != @v + current()/@w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w != @w]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w != @w])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[not(@v + current()/@w != current()/@w)]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[not(@v + current()/@w != current()/@w)])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v + current()/@w != -1 div 0]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w != -1 div 0])"/><xsl:text>,</xsl:text>
<xsl:for-each select="//row[@v - current()/@w != 1 div 0]"><xsl:value-of select="@n"/></xsl:for-each><xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@w != 1 div 0])"/><xsl:text>,</xsl:text>
<xsl:text>
</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
