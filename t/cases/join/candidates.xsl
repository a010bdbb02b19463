<!-- Conditions that ask a candidate's key, its siblings or its parent's children, and such that count positions beside one that compares. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:key name="kind" match="row" use="@k"/>
<xsl:variable name="all" select="//row"/>
<xsl:template match="/"><xsl:for-each select="t/g/row">
<xsl:value-of select="@id"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[key('kind', @k)/@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[key('kind', @k)/@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[key('kind', @k)/@v > current()/@v])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[key('kind', @k)/@v > current()/@v])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[key('kind', @k)/@v > current()/@v]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[key('kind', @k)/@v > current()/@v]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[key('kind', @k)/@v > current()/@v]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[key('kind', @k)/@v > current()/@v]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[key('kind', @k)/@id = current()/@ref])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[key('kind', @k)/@id = current()/@ref])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[key('kind', @k)/@id = current()/@ref])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[key('kind', @k)/@id = current()/@ref])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[key('kind', @k)/@id = current()/@ref]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[key('kind', @k)/@id = current()/@ref]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[key('kind', @k)/@id = current()/@ref]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[key('kind', @k)/@id = current()/@ref]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[key('kind', @k)/b = current()/b])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[key('kind', @k)/b = current()/b])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[key('kind', @k)/b = current()/b])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[key('kind', @k)/b = current()/b])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[key('kind', @k)/b = current()/b]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[key('kind', @k)/b = current()/b]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[key('kind', @k)/b = current()/b]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[key('kind', @k)/b = current()/b]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[key('kind', @k)/b != current()/b])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[key('kind', @k)/b != current()/b])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[key('kind', @k)/b != current()/b])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[key('kind', @k)/b != current()/b])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[key('kind', @k)/b != current()/b]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[key('kind', @k)/b != current()/b]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[key('kind', @k)/b != current()/b]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[key('kind', @k)/b != current()/b]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count($all[count(key('kind', @k)) > count(key('kind', current()/@k))])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean($all[count(key('kind', @k)) > count(key('kind', current()/@k))])"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[count(key('kind', @k)) > count(key('kind', current()/@k))])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[count(key('kind', @k)) > count(key('kind', current()/@k))])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum($all[count(key('kind', @k)) > count(key('kind', current()/@k))]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string($all[count(key('kind', @k)) > count(key('kind', current()/@k))]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not($all[count(key('kind', @k)) > count(key('kind', current()/@k))]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="$all[count(key('kind', @k)) > count(key('kind', current()/@k))]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[sum(key('kind', @k)/@w) > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[sum(key('kind', @k)/@w) > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[sum(key('kind', @k)/@w) > current()/@v])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[sum(key('kind', @k)/@w) > current()/@v])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[sum(key('kind', @k)/@w) > current()/@v]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[sum(key('kind', @k)/@w) > current()/@v]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[sum(key('kind', @k)/@w) > current()/@v]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[sum(key('kind', @k)/@w) > current()/@v]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[../row/@k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[../row/@k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[../row/@k = current()/@k])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[../row/@k = current()/@k])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[../row/@k = current()/@k]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[../row/@k = current()/@k]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[../row/@k = current()/@k]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[../row/@k = current()/@k]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[../row/b = current()/b][@w])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[../row/b = current()/b][@w])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[../row/b = current()/b][@w])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[../row/b = current()/b][@w])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[../row/b = current()/b][@w]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[../row/b = current()/b][@w]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[../row/b = current()/b][@w]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[../row/b = current()/b][@w]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//b[../c = current()/b]/..)"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//b[../c = current()/b]/..)"/>
<xsl:text> </xsl:text><xsl:value-of select="(//b[../c = current()/b]/..)[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//b[../c = current()/b]/..)[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//b[../c = current()/b]/../@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//b[../c = current()/b]/../@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//b[../c = current()/b]/../@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//b[../c = current()/b]/.."><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[../row/@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[../row/@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[../row/@v > current()/@v])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[../row/@v > current()/@v])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[../row/@v > current()/@v]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[../row/@v > current()/@v]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[../row/@v > current()/@v]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[../row/@v > current()/@v]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[preceding-sibling::row/@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[preceding-sibling::row/@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[preceding-sibling::row/@v > current()/@v])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[preceding-sibling::row/@v > current()/@v])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[preceding-sibling::row/@v > current()/@v]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[preceding-sibling::row/@v > current()/@v]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[preceding-sibling::row/@v > current()/@v]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[preceding-sibling::row/@v > current()/@v]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[following-sibling::row/@k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[following-sibling::row/@k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[following-sibling::row/@k = current()/@k])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[following-sibling::row/@k = current()/@k])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[following-sibling::row/@k = current()/@k]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[following-sibling::row/@k = current()/@k]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[following-sibling::row/@k = current()/@k]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[following-sibling::row/@k = current()/@k]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[position() > 2 and @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[position() > 2 and @k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[position() > 2 and @k = current()/@k])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[position() > 2 and @k = current()/@k])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[position() > 2 and @k = current()/@k]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[position() > 2 and @k = current()/@k]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[position() > 2 and @k = current()/@k]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[position() > 2 and @k = current()/@k]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@k = current()/@k and position() != 3 and @w])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@k = current()/@k and position() != 3 and @w])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@k = current()/@k and position() != 3 and @w])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@k = current()/@k and position() != 3 and @w])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@k = current()/@k and position() != 3 and @w]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@k = current()/@k and position() != 3 and @w]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@k = current()/@k and position() != 3 and @w]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@k = current()/@k and position() != 3 and @w]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count($all[position() mod 2 = 1 and @v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean($all[position() mod 2 = 1 and @v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[position() mod 2 = 1 and @v > current()/@v])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[position() mod 2 = 1 and @v > current()/@v])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum($all[position() mod 2 = 1 and @v > current()/@v]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string($all[position() mod 2 = 1 and @v > current()/@v]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not($all[position() mod 2 = 1 and @v > current()/@v]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="$all[position() mod 2 = 1 and @v > current()/@v]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@k = current()/@k and not(position() = last())][@w])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@k = current()/@k and not(position() = last())][@w])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@k = current()/@k and not(position() = last())][@w])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@k = current()/@k and not(position() = last())][@w])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@k = current()/@k and not(position() = last())][@w]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@k = current()/@k and not(position() = last())][@w]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@k = current()/@k and not(position() = last())][@w]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@k = current()/@k and not(position() = last())][@w]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[position() > 1][@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[position() > 1][@v > current()/@v])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[position() > 1][@v > current()/@v])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[position() > 1][@v > current()/@v])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[position() > 1][@v > current()/@v]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[position() > 1][@v > current()/@v]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[position() > 1][@v > current()/@v]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[position() > 1][@v > current()/@v]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count($all[position() &lt; 20 and (@k = current()/@k or @v = current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean($all[position() &lt; 20 and (@k = current()/@k or @v = current()/@v)])"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[position() &lt; 20 and (@k = current()/@k or @v = current()/@v)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[position() &lt; 20 and (@k = current()/@k or @v = current()/@v)])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum($all[position() &lt; 20 and (@k = current()/@k or @v = current()/@v)]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string($all[position() &lt; 20 and (@k = current()/@k or @v = current()/@v)]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not($all[position() &lt; 20 and (@k = current()/@k or @v = current()/@v)]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="$all[position() &lt; 20 and (@k = current()/@k or @v = current()/@v)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
