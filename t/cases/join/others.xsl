<!-- How many before or behind a row differ from it, and sums of truths. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:key name="kind" match="row" use="@k"/>
<xsl:variable name="all" select="//row"/>
<xsl:template match="/"><xsl:for-each select="t/g/row">
<xsl:value-of select="@id"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::row[@k != current()/@k])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(following::row[@k != current()/@k])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::row[@v != current()/@v])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(following-sibling::row[@v != number(current()/@v)])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::row[@k != string(current()/@k)])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::row[number(@v) != number(current()/@v)])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::row[not(@k = current()/@k)])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(following::row[not(@v > current()/@v)])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::row[not(starts-with(@k, current()/@k))])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::b[. != current()/c])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::row[b != current()/c])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[(@v > current()/@v) + (@w > current()/@w) = 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@v > current()/@v) + (@w > current()/@w) = 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@v > current()/@v) + (@w > current()/@w) = 1])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@v > current()/@v) + (@w > current()/@w) = 1])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[(@v > current()/@v) + (@w > current()/@w) = 1]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[(@v > current()/@v) + (@w > current()/@w) = 1]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[(@v > current()/@v) + (@w > current()/@w) = 1]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@v > current()/@v) + (@w > current()/@w) = 1]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[(@k = current()/@k) + (@v = current()/@v) + (@w = current()/@w) >= 2])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@k = current()/@k) + (@v = current()/@v) + (@w = current()/@w) >= 2])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) + (@v = current()/@v) + (@w = current()/@w) >= 2])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) + (@v = current()/@v) + (@w = current()/@w) >= 2])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[(@k = current()/@k) + (@v = current()/@v) + (@w = current()/@w) >= 2]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[(@k = current()/@k) + (@v = current()/@v) + (@w = current()/@w) >= 2]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[(@k = current()/@k) + (@v = current()/@v) + (@w = current()/@w) >= 2]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@k = current()/@k) + (@v = current()/@v) + (@w = current()/@w) >= 2]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[number(@k = current()/@k) + number(@w = current()/@w) = 2])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[number(@k = current()/@k) + number(@w = current()/@w) = 2])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[number(@k = current()/@k) + number(@w = current()/@w) = 2])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[number(@k = current()/@k) + number(@w = current()/@w) = 2])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[number(@k = current()/@k) + number(@w = current()/@w) = 2]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[number(@k = current()/@k) + number(@w = current()/@w) = 2]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[number(@k = current()/@k) + number(@w = current()/@w) = 2]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[number(@k = current()/@k) + number(@w = current()/@w) = 2]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[1 > (@k = current()/@k) + (@w = current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[1 > (@k = current()/@k) + (@w = current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[1 > (@k = current()/@k) + (@w = current()/@w)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[1 > (@k = current()/@k) + (@w = current()/@w)])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[1 > (@k = current()/@k) + (@w = current()/@w)]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[1 > (@k = current()/@k) + (@w = current()/@w)]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[1 > (@k = current()/@k) + (@w = current()/@w)]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[1 > (@k = current()/@k) + (@w = current()/@w)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[(@k = current()/@k) + 1 + (@w = current()/@w) != 2])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@k = current()/@k) + 1 + (@w = current()/@w) != 2])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) + 1 + (@w = current()/@w) != 2])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) + 1 + (@w = current()/@w) != 2])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[(@k = current()/@k) + 1 + (@w = current()/@w) != 2]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[(@k = current()/@k) + 1 + (@w = current()/@w) != 2]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[(@k = current()/@k) + 1 + (@w = current()/@w) != 2]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@k = current()/@k) + 1 + (@w = current()/@w) != 2]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[(@k = current()/@k) + (@w = current()/@w) > 5])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@k = current()/@k) + (@w = current()/@w) > 5])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) + (@w = current()/@w) > 5])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) + (@w = current()/@w) > 5])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[(@k = current()/@k) + (@w = current()/@w) > 5]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[(@k = current()/@k) + (@w = current()/@w) > 5]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[(@k = current()/@k) + (@w = current()/@w) > 5]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@k = current()/@k) + (@w = current()/@w) > 5]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[(@k = current()/@k) + (@w = current()/@w) &lt; 5])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@k = current()/@k) + (@w = current()/@w) &lt; 5])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) + (@w = current()/@w) &lt; 5])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) + (@w = current()/@w) &lt; 5])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[(@k = current()/@k) + (@w = current()/@w) &lt; 5]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[(@k = current()/@k) + (@w = current()/@w) &lt; 5]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[(@k = current()/@k) + (@w = current()/@w) &lt; 5]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@k = current()/@k) + (@w = current()/@w) &lt; 5]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
