<!-- How many are before or behind a node, by a condition between them and it: elements that stand in each other, and attributes -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/"><xsl:for-each select="//n | //@k | //n/text()[position() = 1] | /">
<xsl:value-of select="concat(../@id, @id)"/><xsl:text>:</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::n[@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::n[current()/@v >= @v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::n[@v &lt; current()/@v + 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::n[@v = number(current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::n[@k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::n[starts-with(@k, current()/@k)])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::n[n/@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::n[@v != current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::n[@v > current()/@v and @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::n[not(@v > current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following::n[@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following::n[current()/@v >= @v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following::n[@v &lt; current()/@v + 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following::n[@v = number(current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following::n[@k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following::n[starts-with(@k, current()/@k)])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following::n[n/@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following::n[@v != current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following::n[@v > current()/@v and @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following::n[not(@v > current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::n[@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::n[current()/@v >= @v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::n[@v &lt; current()/@v + 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::n[@v = number(current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::n[@k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::n[starts-with(@k, current()/@k)])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::n[n/@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::n[@v != current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::n[@v > current()/@v and @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::n[not(@v > current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following-sibling::n[@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following-sibling::n[current()/@v >= @v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following-sibling::n[@v &lt; current()/@v + 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following-sibling::n[@v = number(current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following-sibling::n[@k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following-sibling::n[starts-with(@k, current()/@k)])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following-sibling::n[n/@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following-sibling::n[@v != current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following-sibling::n[@v > current()/@v and @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(following-sibling::n[not(@v > current()/@v)])"/>
<xsl:text>
</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
