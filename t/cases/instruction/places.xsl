<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <!-- Loops that do something for the nodes at some places only: sorted or not, of sets that rows share and of sets of
       their own, with places counted among all. -->
  <xsl:key name="k" match="r" use="@k"/>
  <xsl:variable name="all" select="//r"/>
  <xsl:template match="/">
    <xsl:for-each select="//r">
      <xsl:variable name="o" select="."/>
      <xsl:value-of select="@n"/>:<xsl:for-each select="key('k', @k)"><xsl:sort select="@v"
        data-type="number"/><xsl:if test="position() = 1"><xsl:value-of
          select="@n"/></xsl:if></xsl:for-each>,<xsl:for-each
        select="key('k', @k)"><xsl:sort select="@v" data-type="number" order="descending"/><xsl:sort
          select="@s"/><xsl:if
        test="position() &lt;= 2"><xsl:value-of
        select="concat(position(), '/', last(), ' ', @n, ' ')"/></xsl:if></xsl:for-each>,<xsl:for-each
        select="//r[@v &gt; $o/@v]"><xsl:sort select="@v" data-type="number"/><xsl:if
          test="1 = position()"><xsl:value-of
        select="concat(@n, ' of ', last())"/></xsl:if></xsl:for-each>,<xsl:for-each select="$all"><xsl:sort
        select="@s"/><xsl:if test="position() = last()"><xsl:value-of
          select="concat(@n, '@', position())"/></xsl:if></xsl:for-each>,<xsl:for-each
        select="../r[@v &lt;= $o/@v]"><xsl:sort select="@v * $o/@v" data-type="number"/><xsl:if
        test="last() = position()"><xsl:value-of select="@n"/></xsl:if></xsl:for-each>,<xsl:for-each
        select="preceding-sibling::r"><xsl:sort select="@v"
        data-type="number"/><xsl:if test="position() = last()"><xsl:value-of
          select="@n"/></xsl:if></xsl:for-each>,<xsl:for-each
        select="//r[@k = $o/@k]"><xsl:if test="position() &gt; 2"><xsl:value-of
          select="concat(position(), @n, ' ')"/></xsl:if></xsl:for-each>,<xsl:for-each
        select="//r[@k = $o/@k]"><xsl:if test="position() != 1"><xsl:value-of select="@n"/>
        <xsl:value-of select="last()"/>;</xsl:if></xsl:for-each>,<xsl:for-each select="$all"><xsl:sort
        select="position()" data-type="number" order="descending"/><xsl:if test="position() = 3"><xsl:value-of
        select="@n"/></xsl:if></xsl:for-each>,<xsl:for-each select="//r[@k = $o/@k][last()]"><xsl:value-of
        select="@n"/></xsl:for-each>,<xsl:value-of
          select="//r[@k = $o/@k][position() = last() - 1]/@n"/>,<xsl:value-of
        select="sum(//r[@k = $o/@k][position() &lt; 3]/@n)"/>,<xsl:for-each
          select="following::r | following-sibling::r/@s"><xsl:sort
        select="."/><xsl:if test="position() &gt;= 2.5"><xsl:value-of
          select="name()"/></xsl:if></xsl:for-each>,<xsl:for-each
        select="*"><xsl:if test="position() = 1">x</xsl:if></xsl:for-each><xsl:text>
</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
