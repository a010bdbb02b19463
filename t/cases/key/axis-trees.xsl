<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" xmlns:t="urn:t" exclude-result-prefixes="exsl t">
<!-- near.xsl's searches in several trees -->
<xsl:output indent="yes"/>
<t:table><t:row k="a" v="first"/><t:row k="c"/><t:row k="a"/></t:table>
<xsl:template match="/">
  <out>
    <xsl:variable name="table" select="document('')/*/t:table"/>
    <xsl:variable name="row" select="//row"/>
    <xsl:for-each select="//row">
      <xsl:variable name="k" select="@k"/>
      <n><xsl:value-of select="concat(count(document('')//t:row[@k = current()/@k]), $table/t:row[@k = $k]/@v, $table/t:row/@k = $k,
          count(($table | $row/..)/*[@k = $k]))"/></n>
    </xsl:for-each>
    <xsl:variable name="trees"><t k="a"/><t k="b"/><t k="a"/></xsl:variable>
    <xsl:for-each select="exsl:node-set($trees)/t"><t><xsl:value-of select="count(preceding-sibling::t[@k = current()/@k])"/><xsl:value-of select="not(following::t/@k = @k)"/></t></xsl:for-each>
    <both><xsl:for-each select="exsl:node-set($trees)/t | //row"><xsl:value-of select="concat(count(following-sibling::*[@k = current()/@k]), ' ')"/></xsl:for-each></both>
  </out>
</xsl:template>
</xsl:stylesheet>
