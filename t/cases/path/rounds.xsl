<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- the first that meets a condition, found in rounds: machine/eval.h -->
<xsl:output indent="yes"/>
<xsl:template match="/">
  <out>
    <xsl:for-each select="//row">
      <xsl:variable name="v" select="@v"/>
      <n n="{@n}">
        <xsl:value-of select="following-sibling::row[@v &gt; $v][1]/@n"/>|<xsl:value-of select="preceding-sibling::row[@v &gt; current()/@v][1]/@n"/>
        <xsl:text>|</xsl:text><xsl:value-of select="preceding-sibling::*[self::head or self::none][1]/@v"/>
        <xsl:text>|</xsl:text><xsl:value-of select="following::sub[@v &lt; $v][1]/@v"/>|<xsl:value-of select="preceding::*[@v = 3 or @v &gt; $v + 30][1]/@n"/>
        <xsl:text>|</xsl:text><xsl:value-of select="preceding::node()[self::comment() or self::text()[starts-with(., 't')]][1]"/>
        <xsl:text>|</xsl:text><xsl:value-of select="../row[@v &gt; $v][1]/@n"/>|<xsl:value-of select="..//row[@v mod 7 = $v mod 7][1]/@n"/>
        <xsl:text>|</xsl:text><xsl:value-of select="following-sibling::row[@v &gt; $v][@k = 'a' or @n &gt; 20][1][@v &gt; 20]/@n"/>
        <xsl:text>|</xsl:text><xsl:value-of select="following::row[preceding-sibling::row[@v &gt; current()/@v][1]/@v &gt; 20][1]/@n"/>
        <xsl:text>|</xsl:text><xsl:value-of select="count((. | following-sibling::row)/following-sibling::row[@v &gt; $v + 20][1])"/>
        <xsl:if test="preceding-sibling::row[@v &gt; $v]"><before/></xsl:if>
        <xsl:if test="not(following::row[@v &gt; $v])"><greatest-behind/></xsl:if>
        <xsl:if test="preceding::sub[@v &gt; $v and ../@n &lt; $v]"><sub/></xsl:if>
        <string><xsl:value-of select="following::*[@v &gt; $v]/@n"/>|<xsl:value-of select="preceding::row[@v &gt; $v]/@n"/></string>
      </n>
    </xsl:for-each>
    <none><xsl:value-of select="count(/following::row[@v &gt; current()/r/@none][1])"/></none>
    <attributes><xsl:for-each select="//@v"><xsl:value-of select="concat(preceding::row[@v &gt; current()][1]/@n, ' ', count(preceding-sibling::row[@v &gt; current()][1]), ',')"/></xsl:for-each></attributes>
    <records><xsl:for-each select="/r/row[not(preceding-sibling::row[@v + 0 &gt;= 40])]"><xsl:value-of select="concat(@n, ' ')"/></xsl:for-each></records>
    <xsl:apply-templates select="r/row"/>
  </out>
</xsl:template>
<xsl:template match="row[preceding-sibling::row[@v &gt; 30][1]/@k = 'a']"><a n="{@n}"/></xsl:template>
<xsl:template match="row"/>
</xsl:stylesheet>
