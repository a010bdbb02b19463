<!-- Conditions that are the same for all nodes of a set, names of nodes, and inequalities of a few values, each with another condition. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:key name="kind" match="row" use="@k"/>
<xsl:variable name="all" select="//row"/>
<xsl:template match="/"><xsl:for-each select="t/g/row">
<xsl:value-of select="@id"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count($all[@v > 2 or $all][@v > current()/@v][@k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean($all[@v > 2 or $all][@v > current()/@v][@k = current()/@k])"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[@v > 2 or $all][@v > current()/@v][@k = current()/@k])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[@v > 2 or $all][@v > current()/@v][@k = current()/@k])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum($all[@v > 2 or $all][@v > current()/@v][@k = current()/@k]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string($all[@v > 2 or $all][@v > current()/@v][@k = current()/@k]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not($all[@v > 2 or $all][@v > current()/@v][@k = current()/@k]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="$all[@v > 2 or $all][@v > current()/@v][@k = current()/@k]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[boolean(@k) != boolean(current()/@k)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[boolean(@k) != boolean(current()/@k)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[boolean(@k) != boolean(current()/@k)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[boolean(@k) != boolean(current()/@k)])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[boolean(@k) != boolean(current()/@k)]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[boolean(@k) != boolean(current()/@k)]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[boolean(@k) != boolean(current()/@k)]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[boolean(@k) != boolean(current()/@k)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[count(b) != count(current()/b)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[count(b) != count(current()/b)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[count(b) != count(current()/b)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[count(b) != count(current()/b)])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[count(b) != count(current()/b)]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[count(b) != count(current()/b)]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[count(b) != count(current()/b)]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[count(b) != count(current()/b)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count($all[string-length(@k) != string-length(current()/@k)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean($all[string-length(@k) != string-length(current()/@k)])"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[string-length(@k) != string-length(current()/@k)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="($all[string-length(@k) != string-length(current()/@k)])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum($all[string-length(@k) != string-length(current()/@k)]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string($all[string-length(@k) != string-length(current()/@k)]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not($all[string-length(@k) != string-length(current()/@k)]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="$all[string-length(@k) != string-length(current()/@k)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[@k != current()/@k][@w = current()/@w])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[@k != current()/@k][@w = current()/@w])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@k != current()/@k][@w = current()/@w])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[@k != current()/@k][@w = current()/@w])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[@k != current()/@k][@w = current()/@w]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[@k != current()/@k][@w = current()/@w]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[@k != current()/@k][@w = current()/@w]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[@k != current()/@k][@w = current()/@w]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row[not(@w != current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="boolean(//row[not(@w != current()/@w)])"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[not(@w != current()/@w)])[1]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="(//row[not(@w != current()/@w)])[last()]/@id"/>
<xsl:text> </xsl:text><xsl:value-of select="sum(//row[not(@w != current()/@w)]/@w)"/>
<xsl:text> </xsl:text><xsl:value-of select="string(//row[not(@w != current()/@w)]/@k)"/>
<xsl:text> </xsl:text><xsl:value-of select="not(//row[not(@w != current()/@w)]/@v > 3)"/>
<xsl:text> </xsl:text><xsl:for-each select="//row[not(@w != current()/@w)]"><xsl:if test="position() &lt; 3"><xsl:value-of select="@id"/></xsl:if></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row/*[name() = name(current()/*[1])][. = current()/b])"/>
<xsl:text>
</xsl:text>
<xsl:text> </xsl:text><xsl:value-of select="count(//row/*[name() = name(current()/*[2])][. != current()/c])"/>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="some" select="@v > 2"/><xsl:variable name="n" select="@k"/><xsl:value-of select="count($all[$some][$n = @k or @ref][@v >= 2])"/></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="some" select="@v > 2"/><xsl:variable name="n" select="@k"/><xsl:value-of select="$all[$some][$n = @k][@w]/@id"/></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="some" select="@v > 2"/><xsl:variable name="n" select="@v"/><xsl:value-of select="count($all[$some][b][$n &lt; @v])"/></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="some" select="boolean(@k)"/><xsl:value-of select="sum($all[$some][@v = current()/@v]/@w)"/></xsl:for-each>
<xsl:text>
</xsl:text>
<xsl:for-each select="."><xsl:variable name="some" select="boolean(@k)"/><xsl:variable name="other" select="@w > 3"/><xsl:for-each select="$all[$some][$other][@w != current()/@w]"><xsl:value-of select="@id"/></xsl:for-each></xsl:for-each>
<xsl:text>
</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
