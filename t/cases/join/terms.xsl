<!-- Conditions that consist of others: counts compared, truths compared, alternatives of orders and equalities. Of each: how many nodes meet
     it, whether one does, the first in document order, of each parent and by name, and the first few. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/"><xsl:for-each select="t/g/row">
<xsl:value-of select="@id"/>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[count(b) > 1 and @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[count(b) > 1 and @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[count(b) > 1 and @k = current()/@k])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b) > 1 and @k = current()/@k]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b) > 1 and @k = current()/@k][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[count(b) > 1 and @k = current()/@k]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[count(b[. = current()/b]) = 2])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[count(b[. = current()/b]) = 2])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[count(b[. = current()/b]) = 2])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) = 2]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) = 2][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[count(b[. = current()/b]) = 2]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[count(b[. = current()/b]) != 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[count(b[. = current()/b]) != 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[count(b[. = current()/b]) != 1])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) != 1]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) != 1][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[count(b[. = current()/b]) != 1]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[count(b[. = current()/b]) = 0])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[count(b[. = current()/b]) = 0])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[count(b[. = current()/b]) = 0])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) = 0]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) = 0][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[count(b[. = current()/b]) = 0]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[count(b[. = current()/b]) &lt; 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[count(b[. = current()/b]) &lt; 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[count(b[. = current()/b]) &lt; 1])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) &lt; 1]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) &lt; 1][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[count(b[. = current()/b]) &lt; 1]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[count(b[. = current()/b]) &lt;= 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[count(b[. = current()/b]) &lt;= 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[count(b[. = current()/b]) &lt;= 1])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) &lt;= 1]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) &lt;= 1][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[count(b[. = current()/b]) &lt;= 1]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[1 &lt; count(b[. = current()/b])])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[1 &lt; count(b[. = current()/b])])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[1 &lt; count(b[. = current()/b])])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[1 &lt; count(b[. = current()/b])]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[1 &lt; count(b[. = current()/b])][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[1 &lt; count(b[. = current()/b])]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[count(b[. = current()/b]) >= 1.5])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[count(b[. = current()/b]) >= 1.5])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[count(b[. = current()/b]) >= 1.5])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) >= 1.5]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) >= 1.5][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[count(b[. = current()/b]) >= 1.5]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[count(b[. = current()/b]) != 1.5])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[count(b[. = current()/b]) != 1.5])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[count(b[. = current()/b]) != 1.5])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) != 1.5]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) != 1.5][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[count(b[. = current()/b]) != 1.5]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[not(count(b[. = current()/@v]) != 0) and @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[not(count(b[. = current()/@v]) != 0) and @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[not(count(b[. = current()/@v]) != 0) and @k = current()/@k])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[not(count(b[. = current()/@v]) != 0) and @k = current()/@k]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[not(count(b[. = current()/@v]) != 0) and @k = current()/@k][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[not(count(b[. = current()/@v]) != 0) and @k = current()/@k]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[count(b[. = current()/b]) > 0 or @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[count(b[. = current()/b]) > 0 or @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[count(b[. = current()/b]) > 0 or @k = current()/@k])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) > 0 or @k = current()/@k]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[count(b[. = current()/b]) > 0 or @k = current()/@k][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[count(b[. = current()/b]) > 0 or @k = current()/@k]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[@k = current()/@k or @v = current()/@v or @w = current()/@w or @id = current()/@ref])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@k = current()/@k or @v = current()/@v or @w = current()/@w or @id = current()/@ref])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@k = current()/@k or @v = current()/@v or @w = current()/@w or @id = current()/@ref])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[@k = current()/@k or @v = current()/@v or @w = current()/@w or @id = current()/@ref]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[@k = current()/@k or @v = current()/@v or @w = current()/@w or @id = current()/@ref][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@k = current()/@k or @v = current()/@v or @w = current()/@w or @id = current()/@ref]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[(@k = current()/@k or @w = current()/@w) and @v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@k = current()/@k or @w = current()/@w) and @v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k or @w = current()/@w) and @v > current()/@v])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k or @w = current()/@w) and @v > current()/@v]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k or @w = current()/@w) and @v > current()/@v][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@k = current()/@k or @w = current()/@w) and @v > current()/@v]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[(@k = current()/@k or @v = 10) and @w >= current()/@w])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@k = current()/@k or @v = 10) and @w >= current()/@w])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k or @v = 10) and @w >= current()/@w])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k or @v = 10) and @w >= current()/@w]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k or @v = 10) and @w >= current()/@w][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@k = current()/@k or @v = 10) and @w >= current()/@w]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[(@k = current()/@k) != (@v = current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@k = current()/@k) != (@v = current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) != (@v = current()/@v)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k) != (@v = current()/@v)]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k) != (@v = current()/@v)][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@k = current()/@k) != (@v = current()/@v)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[(@k = current()/@k) = (@v > current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@k = current()/@k) = (@v > current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) = (@v > current()/@v)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k) = (@v > current()/@v)]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k) = (@v > current()/@v)][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@k = current()/@k) = (@v > current()/@v)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[(@v > current()/@v) = (@w > current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@v > current()/@v) = (@w > current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@v > current()/@v) = (@w > current()/@w)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@v > current()/@v) = (@w > current()/@w)]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@v > current()/@v) = (@w > current()/@w)][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@v > current()/@v) = (@w > current()/@w)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[not(@k = current()/@k) or @v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[not(@k = current()/@k) or @v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[not(@k = current()/@k) or @v > current()/@v])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[not(@k = current()/@k) or @v > current()/@v]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[not(@k = current()/@k) or @v > current()/@v][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[not(@k = current()/@k) or @v > current()/@v]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[not(@k = current()/@k) and not(@v = current()/@v and @w = current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[not(@k = current()/@k) and not(@v = current()/@v and @w = current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[not(@k = current()/@k) and not(@v = current()/@v and @w = current()/@w)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[not(@k = current()/@k) and not(@v = current()/@v and @w = current()/@w)]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[not(@k = current()/@k) and not(@v = current()/@v and @w = current()/@w)][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[not(@k = current()/@k) and not(@v = current()/@v and @w = current()/@w)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[not(not(@k = current()/@k) or @v = current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[not(not(@k = current()/@k) or @v = current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[not(not(@k = current()/@k) or @v = current()/@v)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[not(not(@k = current()/@k) or @v = current()/@v)]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[not(not(@k = current()/@k) or @v = current()/@v)][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[not(not(@k = current()/@k) or @v = current()/@v)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[number(@v) != number(current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[number(@v) != number(current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[number(@v) != number(current()/@v)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[number(@v) != number(current()/@v)]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[number(@v) != number(current()/@v)][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[number(@v) != number(current()/@v)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[number(@v) != number(current()/@v) and @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[number(@v) != number(current()/@v) and @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[number(@v) != number(current()/@v) and @k = current()/@k])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[number(@v) != number(current()/@v) and @k = current()/@k]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[number(@v) != number(current()/@v) and @k = current()/@k][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[number(@v) != number(current()/@v) and @k = current()/@k]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[boolean(b) = boolean(current()/b)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[boolean(b) = boolean(current()/b)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[boolean(b) = boolean(current()/b)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[boolean(b) = boolean(current()/b)]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[boolean(b) = boolean(current()/b)][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[boolean(b) = boolean(current()/b)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[boolean(@k) != boolean(current()/c)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[boolean(@k) != boolean(current()/c)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[boolean(@k) != boolean(current()/c)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[boolean(@k) != boolean(current()/c)]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[boolean(@k) != boolean(current()/c)][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[boolean(@k) != boolean(current()/c)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[(@v > 5) = (current()/@v > 5)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@v > 5) = (current()/@v > 5)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@v > 5) = (current()/@v > 5)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@v > 5) = (current()/@v > 5)]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@v > 5) = (current()/@v > 5)][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@v > 5) = (current()/@v > 5)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[(@v > 5 and @w > 2) = (current()/@v > 5 or current()/@w > 2)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@v > 5 and @w > 2) = (current()/@v > 5 or current()/@w > 2)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@v > 5 and @w > 2) = (current()/@v > 5 or current()/@w > 2)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@v > 5 and @w > 2) = (current()/@v > 5 or current()/@w > 2)]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@v > 5 and @w > 2) = (current()/@v > 5 or current()/@w > 2)][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@v > 5 and @w > 2) = (current()/@v > 5 or current()/@w > 2)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[number(@k = current()/@k) = 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[number(@k = current()/@k) = 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[number(@k = current()/@k) = 1])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[number(@k = current()/@k) = 1]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[number(@k = current()/@k) = 1][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[number(@k = current()/@k) = 1]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[number(@k = current()/@k) != 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[number(@k = current()/@k) != 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[number(@k = current()/@k) != 1])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[number(@k = current()/@k) != 1]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[number(@k = current()/@k) != 1][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[number(@k = current()/@k) != 1]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[number(@k = current()/@k) &lt; 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[number(@k = current()/@k) &lt; 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[number(@k = current()/@k) &lt; 1])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[number(@k = current()/@k) &lt; 1]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[number(@k = current()/@k) &lt; 1][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[number(@k = current()/@k) &lt; 1]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[(@k = current()/@k) > 0])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@k = current()/@k) > 0])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) > 0])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k) > 0]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k) > 0][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@k = current()/@k) > 0]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[(@k = current()/@k) >= 0])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@k = current()/@k) >= 0])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) >= 0])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k) >= 0]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k) >= 0][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@k = current()/@k) >= 0]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[0.5 > (@k = current()/@k)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[0.5 > (@k = current()/@k)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[0.5 > (@k = current()/@k)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[0.5 > (@k = current()/@k)]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[0.5 > (@k = current()/@k)][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[0.5 > (@k = current()/@k)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[(@k = current()/@k) = 2])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@k = current()/@k) = 2])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) = 2])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k) = 2]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k) = 2][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@k = current()/@k) = 2]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[(@k = current()/@k) != 'x'])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@k = current()/@k) != 'x'])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k) != 'x'])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k) != 'x']/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k) != 'x'][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@k = current()/@k) != 'x']"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[string(@k = current()/@k) = 'true'])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[string(@k = current()/@k) = 'true'])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[string(@k = current()/@k) = 'true'])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[string(@k = current()/@k) = 'true']/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[string(@k = current()/@k) = 'true'][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[string(@k = current()/@k) = 'true']"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[string(@k = current()/@k) != 'true'])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[string(@k = current()/@k) != 'true'])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[string(@k = current()/@k) != 'true'])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[string(@k = current()/@k) != 'true']/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[string(@k = current()/@k) != 'true'][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[string(@k = current()/@k) != 'true']"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row['no' = string(@k = current()/@k)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row['no' = string(@k = current()/@k)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row['no' = string(@k = current()/@k)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row['no' = string(@k = current()/@k)]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row['no' = string(@k = current()/@k)][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row['no' = string(@k = current()/@k)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text><xsl:value-of select="count(//row[(@k = current()/@k or current()/@v > 5) and @w = current()/@w])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[(@k = current()/@k or current()/@v > 5) and @w = current()/@w])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[(@k = current()/@k or current()/@v > 5) and @w = current()/@w])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k or current()/@v > 5) and @w = current()/@w]/@k"/>
<xsl:text> </xsl:text><xsl:value-of select="//row[(@k = current()/@k or current()/@v > 5) and @w = current()/@w][1]/@w"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[(@k = current()/@k or current()/@v > 5) and @w = current()/@w]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
