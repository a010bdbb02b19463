<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <!-- Is a node one of those: counts of unions, sets that are intersections; the second before a node; sums of what is before it by a value that is the
       same for all. -->
  <xsl:key name="k" match="r" use="@k"/>
  <xsl:template match="/">
    <xsl:for-each select="//r">
      <xsl:variable name="kind" select="key('k', @k)"/>
      <xsl:variable name="same" select="//r[@s = current()/@s]"/>
      <xsl:value-of select="count(//r[count(. | current()) = 1])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[count(current() | .) &gt; 1])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[2 &lt;= count(. | current())][@k = current()/@k])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[count(. | current()) &lt; 3])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r | current())"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r/t | current()/t)"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(current()/t | //r/t | .)"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count($kind | .)"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(.. | $kind)"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//g | $kind)"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count($kind | $same)"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[count(. | $kind) != count($kind)])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[count(. | $kind) = count($kind)][@w &gt; 3])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="//r[count(. | $kind) = count($kind)][2]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count($kind[count(. | $same) = count($same)])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[@w &gt; 2][count(. | $kind) != count($kind)])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[count(. | key('k', current()/@k)) != count(key('k', current()/@k))])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="preceding::r[@v &gt; current()/@v][2]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="preceding::r[@k = current()/@k][2]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="preceding-sibling::r[@k = current()/@k][3]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="preceding-sibling::r[@k = current()/@k][@w &gt; 2][2]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="preceding-sibling::r[@k = current()/@k][2][@w &gt; 2]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="following::r[@w &lt; current()/@w][3]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="following-sibling::r[@w &gt; current()/@w][2]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="ancestor::r[@k = current()/@k][2]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="following::r[@k = current()/@k and @w &gt; current()/@w][2]/@id"/><xsl:text>; </xsl:text>
      <xsl:value-of select="sum(preceding::r[@k = 'a'][@w &gt; 3]/@w)"/><xsl:text>; </xsl:text>
      <xsl:value-of select="sum(preceding::r[@k = 'a']/@v)"/><xsl:text>; </xsl:text>
      <xsl:value-of select="sum(preceding-sibling::r[@k = 'b']/@w)"/><xsl:text>; </xsl:text>
      <xsl:value-of select="sum(following::r[@s = 'x']/@w)"/><xsl:text>; </xsl:text>
      <xsl:value-of select="@w &gt; preceding::r[@k = 'a'][@w &gt; 2]/@w"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(preceding::r[@k = 'a'][@w &gt; 3])"/><xsl:text>; </xsl:text>
      <xsl:value-of select="count(//r[key('k', @k)[2]/@id = current()/@id])"/><xsl:text>; </xsl:text>
      <xsl:for-each select="preceding::r[@w &gt; current()/@w][position() &lt; 4]"><xsl:value-of select="@id"/>,</xsl:for-each>
      <xsl:for-each select="preceding::r[@k = current()/@k][2 &lt;= position() and position() &lt; 4][@w &gt; 2]"><xsl:value-of select="@id"/>.</xsl:for-each>
      <xsl:for-each select="following-sibling::r[@w &gt; current()/@w][position() != 1 and position() &lt; 4]"><xsl:value-of select="@id"/>:</xsl:for-each>
      <xsl:value-of select="count(preceding-sibling::*[@k = current()/@k][position() &lt; 3])"/><xsl:text>
</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
