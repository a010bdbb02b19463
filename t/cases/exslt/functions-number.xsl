<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:func="http://exslt.org/functions" xmlns:my="urn:my" extension-element-prefixes="func" exclude-result-prefixes="my">
<xsl:output omit-xml-declaration="yes"/>
<!-- calls in patterns of xsl:number: the same for all rows, and others for each -->
<func:function name="my:odd"><xsl:param name="n" select="count(preceding-sibling::*) + 1"/><func:result select="$n mod 2 = 1"/></func:function>
<func:function name="my:id"><xsl:param name="x"/><func:result select="$x"/></func:function>
<xsl:template match="/r">
<out><xsl:for-each select="n"><xsl:variable name="v" select="."/><i>
  <xsl:attribute name="a"><xsl:number count="n[my:odd()]"/></xsl:attribute>
  <xsl:attribute name="b"><xsl:number level="any" count="n[my:odd()]" from="r[my:id(1)]"/></xsl:attribute>
  <xsl:attribute name="c"><xsl:number count="n[count(../t) = my:id(4) and . = my:id($v)]"/></xsl:attribute>
  <xsl:attribute name="d"><xsl:number value="my:id(position())" format="{my:id('a')}"/></xsl:attribute></i></xsl:for-each></out>
</xsl:template>
</xsl:stylesheet>
