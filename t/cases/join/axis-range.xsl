<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <!-- What stands beside a node finds it; strings of parts of both sides; the first few and the last of unions; a table's cells. -->
  <xsl:key name="k" match="r" use="@k"/>
  <xsl:variable name="all" select="//r"/>
  <xsl:template match="/">
    <xsl:for-each select="//r">
      <xsl:variable name="kind" select="//r[@k = current()/@k]"/>
      <xsl:variable name="some" select="@w &gt; 4"/>
      <xsl:value-of select="count(//r[following-sibling::r/@id = current()/@ref])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="//r[following-sibling::r/@w = current()/@w][@k = 'a'][2]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[preceding-sibling::r[@k = current()/@k][@w &gt; 3]])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[count(preceding-sibling::r[@k = current()/@k]) = 0])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[not(preceding::r/@k = current()/@k)])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="boolean(//r[following::r/t = current()/t])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[following::r/@id = current()/@ref])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[preceding::r/@id = current()/@ref])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//g/r[following-sibling::r/@v &gt; current()/@v])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(../r[preceding-sibling::*/@id = current()/@id])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(../r[preceding-sibling::r/@id = current()/@ref][@w &gt; 2])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//t[following-sibling::r/@w = current()/@w])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[following-sibling::r[1]/@id = current()/@ref])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[concat(@k, '-', current()/@s) = concat(current()/@k, '-', @s)])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[concat(current()/@k, @w) = concat(@k, '3')])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[concat(current()/@k, @w) = 'a3'])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[concat('r', current()/@w, @w) = current()/@id])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[concat(current()/@s, @id) != @id])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[concat(@s, current()/@k, @s) = @ref])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="//r[concat(@k, current()/@w) = 'b4'][2]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[concat(current()/@none, @k) = 'a'])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[concat(current()/@w, @w) = current()/@none])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[concat(@w, '', current()/@s, '') = string(@w)])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="$all[@k = current()/@k or @w &gt; current()/@w][3]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="$all[@k = current()/@k or @w &gt; current()/@w][last()]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="$all[@w &gt; 6 or @w &gt; current()/@w][position() &lt; 3]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="$all[$some or @id = current()/@ref][2]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="($kind | //r[@id = current()/@ref])[last()]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="(//r[@k = current()/@k] | //r[@s = current()/@s])[4]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="$kind[last()]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="$kind[3]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="$kind[2][@w &gt; 3]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="$kind[99]/@id"/><xsl:text>
</xsl:text>
      <xsl:for-each select="//g">
        <xsl:for-each select="r[@k = current()/r[1]/@k]"><xsl:value-of select="@id"/>,</xsl:for-each>
        <xsl:value-of select="string(r[@w = current()/r[2]/@w]/@id)"/>
        <xsl:value-of select="boolean(r[@v = current()/r[2]/@v]/r)"/>;</xsl:for-each>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
