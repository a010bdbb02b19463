<!-- Rows whose sets are parts of lists that they share: totals and extremes of few groups, running totals, counts on axes of found nodes;
     conditions on what is below a node. Numbers with fractions, NaN and -0, attributes that are absent, rows in rows. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:math="http://exslt.org/math">
<xsl:output method="text"/>
<xsl:template match="/"><xsl:for-each select="//row"><xsl:value-of select="@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@s = current()/@s]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@s = current()/@s]/q)"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@s = current()/@s]/@v)"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(/t/g[1]/row[@s = current()/@s]/@v)"/>
<xsl:text> </xsl:text><xsl:value-of select="math:max(/t/g[1]/row[@s = current()/@s]/@v)"/>
<xsl:text> </xsl:text><xsl:value-of select="1 div math:min(/t/g[3]/row[@s = current()/@s]/@v)"/>
<xsl:text> </xsl:text><xsl:value-of select="math:max(//row[@s = current()/@s]/@v)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@s = current()/@s]/@w > @v)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(following::row[@s = current()/@s]/@v > @v)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(preceding-sibling::row[@s = current()/@s]/@v >= @v)"/>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@s = current()/@s]/q)"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(preceding-sibling::row[@s = current()/@s]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(preceding-sibling::row[@s = current()/@s]/@v)"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(following-sibling::row[@s = current()/@s]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(following-sibling::row[@s = 's1']/@v)"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(preceding::row[@s = current()/@s]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(preceding::row[@k = current()/@k]/q)"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding::row[@s = 's1'])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(preceding-sibling::row[@s = 's2'])"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(preceding-sibling::row[@s = 's1']/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="math:max(preceding-sibling::row/@v)"/>
<xsl:text> </xsl:text><xsl:value-of select="math:min(preceding::row/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@id = current()/@ref]/preceding-sibling::row)"/>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@id = current()/@ref]/following-sibling::*)"/>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@id = current()/@ref]/preceding::node())"/>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@id = current()/@ref]/following::q)"/>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@k = current()/@k]/preceding-sibling::row)"/>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@k = current()/@k]/ancestor::*)"/>
<xsl:text> </xsl:text><xsl:value-of select="count(//g[row[@k = current()/@k and @s = current()/@s]])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[q[. = current()/q][. > 3]])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(//g[not(row[@k = current()/@k][@w > 2])])"/>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[not(@id = current()/@ref) and not(@k = current()/@k)])"/>
<xsl:text> </xsl:text><xsl:value-of select="//g[row[@id = current()/@ref][@w > 1]/q]/@n"/>
<xsl:text>&#10;</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
