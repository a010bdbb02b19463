<!-- Conditions that add something of the node and of the row, or negate an order; the first and the last of what an order finds. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:key name="kind" match="row" use="@k"/>
<xsl:variable name="all" select="//row"/>
<xsl:template match="/"><xsl:for-each select="t/g/row">
<xsl:value-of select="@id"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@v = 12])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v + current()/@v = 12])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v + current()/@v = 12])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v + current()/@v = 12])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v + current()/@v = 12]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v + current()/@v = 12]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v + current()/@v = 12]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@v + current()/@v = 12]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@w > 12])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v + current()/@w > 12])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v + current()/@w > 12])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v + current()/@w > 12])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v + current()/@w > 12]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v + current()/@w > 12]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v + current()/@w > 12]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@v + current()/@w > 12]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[current()/@w + @v &lt;= 12])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[current()/@w + @v &lt;= 12])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[current()/@w + @v &lt;= 12])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[current()/@w + @v &lt;= 12])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[current()/@w + @v &lt;= 12]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[current()/@w + @v &lt;= 12]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[current()/@w + @v &lt;= 12]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[current()/@w + @v &lt;= 12]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@v > 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v - current()/@v > 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v - current()/@v > 1])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v - current()/@v > 1])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v - current()/@v > 1]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v - current()/@v > 1]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v - current()/@v > 1]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@v - current()/@v > 1]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count($all[current()/@v - @v >= 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean($all[current()/@v - @v >= 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[current()/@v - @v >= 1])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[current()/@v - @v >= 1])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum($all[current()/@v - @v >= 1]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string($all[current()/@v - @v >= 1]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not($all[current()/@v - @v >= 1]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="$all[current()/@v - @v >= 1]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@v = 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v - current()/@v = 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v - current()/@v = 1])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v - current()/@v = 1])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v - current()/@v = 1]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v - current()/@v = 1]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v - current()/@v = 1]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@v - current()/@v = 1]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[1 = current()/@w - @v])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[1 = current()/@w - @v])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[1 = current()/@w - @v])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[1 = current()/@w - @v])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[1 = current()/@w - @v]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[1 = current()/@w - @v]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[1 = current()/@w - @v]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[1 = current()/@w - @v]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@v != 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v - current()/@v != 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v - current()/@v != 1])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v - current()/@v != 1])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v - current()/@v != 1]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v - current()/@v != 1]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v - current()/@v != 1]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@v - current()/@v != 1]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@v &lt; @w])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v - current()/@v &lt; @w])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v - current()/@v &lt; @w])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v - current()/@v &lt; @w])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v - current()/@v &lt; @w]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v - current()/@v &lt; @w]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v - current()/@v &lt; @w]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@v - current()/@v &lt; @w]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[current()/@v - @v > @w][@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[current()/@v - @v > @w][@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[current()/@v - @v > @w][@k])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[current()/@v - @v > @w][@k])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[current()/@v - @v > @w][@k]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[current()/@v - @v > @w][@k]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[current()/@v - @v > @w][@k]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[current()/@v - @v > @w][@k]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v - current()/@v > 0 and @v - current()/@v &lt; 8])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v - current()/@v > 0 and @v - current()/@v &lt; 8])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v - current()/@v > 0 and @v - current()/@v &lt; 8])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v - current()/@v > 0 and @v - current()/@v &lt; 8])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v - current()/@v > 0 and @v - current()/@v &lt; 8]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v - current()/@v > 0 and @v - current()/@v &lt; 8]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v - current()/@v > 0 and @v - current()/@v &lt; 8]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@v - current()/@v > 0 and @v - current()/@v &lt; 8]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v div 0 + current()/@v > 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v div 0 + current()/@v > 1])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v div 0 + current()/@v > 1])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v div 0 + current()/@v > 1])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v div 0 + current()/@v > 1]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v div 0 + current()/@v > 1]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v div 0 + current()/@v > 1]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@v div 0 + current()/@v > 1]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v + current()/@v div 0 >= 1 div 0])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v + current()/@v div 0 >= 1 div 0])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v + current()/@v div 0 >= 1 div 0])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v + current()/@v div 0 >= 1 div 0])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v + current()/@v div 0 >= 1 div 0]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v + current()/@v div 0 >= 1 div 0]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v + current()/@v div 0 >= 1 div 0]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@v + current()/@v div 0 >= 1 div 0]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v * 0.1 + current()/@v * 0.2 > 0.3])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v * 0.1 + current()/@v * 0.2 > 0.3])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v * 0.1 + current()/@v * 0.2 > 0.3])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v * 0.1 + current()/@v * 0.2 > 0.3])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v * 0.1 + current()/@v * 0.2 > 0.3]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v * 0.1 + current()/@v * 0.2 > 0.3]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v * 0.1 + current()/@v * 0.2 > 0.3]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@v * 0.1 + current()/@v * 0.2 > 0.3]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v * 0.1 + current()/@w * 0.2 = 0.5])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v * 0.1 + current()/@w * 0.2 = 0.5])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v * 0.1 + current()/@w * 0.2 = 0.5])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v * 0.1 + current()/@w * 0.2 = 0.5])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v * 0.1 + current()/@w * 0.2 = 0.5]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v * 0.1 + current()/@w * 0.2 = 0.5]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v * 0.1 + current()/@w * 0.2 = 0.5]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@v * 0.1 + current()/@w * 0.2 = 0.5]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v &lt; current()/@v][not(@v &lt; current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v &lt; current()/@v][not(@v &lt; current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v &lt; current()/@v][not(@v &lt; current()/@w)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v &lt; current()/@v][not(@v &lt; current()/@w)])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v &lt; current()/@v][not(@v &lt; current()/@w)]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v &lt; current()/@v][not(@v &lt; current()/@w)]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v &lt; current()/@v][not(@v &lt; current()/@w)]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@v &lt; current()/@v][not(@v &lt; current()/@w)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@v > current()/@v][not(@v >= current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@v > current()/@v][not(@v >= current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v > current()/@v][not(@v >= current()/@w)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v > current()/@v][not(@v >= current()/@w)])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@v > current()/@v][not(@v >= current()/@w)]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v > current()/@v][not(@v >= current()/@w)]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@v > current()/@v][not(@v >= current()/@w)]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@v > current()/@v][not(@v >= current()/@w)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count($all[not(@v &lt;= current()/@w) and @v &lt; 9])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean($all[not(@v &lt;= current()/@w) and @v &lt; 9])"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[not(@v &lt;= current()/@w) and @v &lt; 9])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[not(@v &lt;= current()/@w) and @v &lt; 9])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum($all[not(@v &lt;= current()/@w) and @v &lt; 9]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string($all[not(@v &lt;= current()/@w) and @v &lt; 9]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not($all[not(@v &lt;= current()/@w) and @v &lt; 9]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="$all[not(@v &lt;= current()/@w) and @v &lt; 9]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count($all[not(current()/@w &lt; @v) and @v > current()/@x])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean($all[not(current()/@w &lt; @v) and @v > current()/@x])"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[not(current()/@w &lt; @v) and @v > current()/@x])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[not(current()/@w &lt; @v) and @v > current()/@x])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum($all[not(current()/@w &lt; @v) and @v > current()/@x]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string($all[not(current()/@w &lt; @v) and @v > current()/@x]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not($all[not(current()/@w &lt; @v) and @v > current()/@x]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="$all[not(current()/@w &lt; @v) and @v > current()/@x]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[not(@v &lt; current()/@v)][not(@v > current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[not(@v &lt; current()/@v)][not(@v > current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[not(@v &lt; current()/@v)][not(@v > current()/@w)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[not(@v &lt; current()/@v)][not(@v > current()/@w)])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[not(@v &lt; current()/@v)][not(@v > current()/@w)]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[not(@v &lt; current()/@v)][not(@v > current()/@w)]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[not(@v &lt; current()/@v)][not(@v > current()/@w)]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[not(@v &lt; current()/@v)][not(@v > current()/@w)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="//row[@v &lt; current()/@v][not(@v &lt; current()/@w)][1]/@id"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v > current()/@v])[last()]/@w"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@v > current()/@v])[1]/b"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="$all[@w &lt;= current()/@w][last()]/@id"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="//row[@v > current()/@v]/b"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@v >= current()/@v]/c)"/>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="n" select="@v"/><xsl:for-each select="$all[@v - $n > 2][last()]"><xsl:value-of select="@id"/></xsl:for-each></xsl:for-each>
<xsl:text>
</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
