<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:func="http://exslt.org/functions" xmlns:my="urn:my"
  xmlns:exsl="http://exslt.org/common" xmlns:str="http://exslt.org/strings" extension-element-prefixes="func" exclude-result-prefixes="my exsl str">
<xsl:import href="functions-imported.inc"/>
<xsl:output omit-xml-declaration="yes" indent="yes"/>
<func:function name="my:which"><func:result select="'importing'"/></func:function>
<func:function name="my:arity"><xsl:param name="a"/><xsl:param name="b" select="'b'"/><func:result select="concat($a, $b)"/></func:function>
<!-- the stylesheet's own function before the built-in one -->
<func:function name="str:concat"><xsl:param name="x"/><func:result select="'own'"/></func:function>
<!-- another type for every row -->
<func:function name="my:any"><xsl:param name="k" select="position()"/><xsl:choose>
  <xsl:when test="$k = 1"><func:result select="3 div 4"/></xsl:when>
  <xsl:when test="$k = 2"><func:result select="'string'"/></xsl:when>
  <xsl:when test="$k = 3"><func:result select="false()"/></xsl:when>
  <xsl:when test="$k = 4"><func:result select="."/></xsl:when>
  <xsl:when test="$k = 5"><func:result><b>fragment</b></func:result></xsl:when></xsl:choose></func:function>
<func:function name="my:some-nodes"><xsl:choose><xsl:when test="@id = 'b'"><func:result select="''"/></xsl:when>
  <xsl:when test="@id"><func:result select="@id"/></xsl:when></xsl:choose></func:function>
<func:function name="my:number-or-text"><xsl:choose><xsl:when test=". &lt; 5"><func:result select="number()"/></xsl:when>
  <xsl:otherwise><func:result select="'much'"/></xsl:otherwise></xsl:choose></func:function>
<func:function name="my:through"><xsl:param name="x"/><xsl:variable name="y" select="$x"/><xsl:variable name="z"><xsl:copy-of select="$y"/></xsl:variable><func:result select="$z"/></func:function>
<func:function name="my:stop"><xsl:param name="n"/><func:result select="$n &lt; 1 or (position() &gt; 0 and my:stop($n - 1))"/></func:function>
<func:function name="my:sum"><xsl:param name="of"/><xsl:choose><xsl:when test="$of"><func:result select="$of[1] + my:sum($of[position() &gt; 1])"/></xsl:when>
  <xsl:otherwise><func:result select="0"/></xsl:otherwise></xsl:choose></func:function>
<func:function name="my:say"><xsl:param name="x"/><xsl:message>said <xsl:value-of select="$x"/></xsl:message><xsl:text/><func:result select="$x"/><xsl:fallback/></func:function>
<func:function name="my:templates"><xsl:param name="x"/><func:result><xsl:apply-templates select="$x" mode="m"/></func:result></func:function>
<func:function name="my:current"><func:result select="count(current()|.)"/></func:function>
<func:function name="my:id"><func:result select="string(@id)"/></func:function>
<xsl:template match="n" mode="m">[<xsl:value-of select="my:id()"/><xsl:value-of select="my:arity(.)"/>]</xsl:template>
<xsl:template match="/r">
  <out>
    <precedence><xsl:value-of select="concat(my:which(), ' ', my:only-there(), ' ', my:arity(1))"/></precedence>
    <own><xsl:value-of select="str:concat(n)"/></own>
    <strings><xsl:for-each select="n"><xsl:value-of select="my:any()"/>,</xsl:for-each></strings>
    <strings><xsl:for-each select="n | t"><i a="{my:any()}"/></xsl:for-each></strings>
    <numbers><xsl:for-each select="n"><xsl:value-of select="number(my:any()) + 1"/>,</xsl:for-each></numbers>
    <booleans><xsl:for-each select="n | t"><xsl:if test="my:any()"><xsl:value-of select="position()"/></xsl:if></xsl:for-each></booleans>
    <nodes><xsl:for-each select="n"><xsl:value-of select="count(my:some-nodes())"/></xsl:for-each>,<xsl:for-each select="*"><xsl:value-of select="name(my:some-nodes()/..)"/></xsl:for-each></nodes>
    <kept><xsl:for-each select="*"><xsl:variable name="v" select="my:some-nodes()"/><xsl:value-of select="$v"/>;</xsl:for-each></kept>
    <number-or-text><xsl:for-each select="n"><xsl:variable name="v" select="my:number-or-text()"/><xsl:value-of select="$v"/>;</xsl:for-each></number-or-text>
    <through><xsl:value-of select="my:through(my:through('x'))"/><xsl:copy-of select="my:through(n[1])"/><xsl:copy-of select="my:through(my:templates(n))"/></through>
    <stop><xsl:value-of select="my:stop(20)"/></stop>
    <sum><xsl:value-of select="my:sum(n)"/></sum>
    <say><xsl:value-of select="my:say(1) + my:say(2)"/></say>
    <current><xsl:value-of select="n[my:current() = 1][2]"/></current>
    <predicate><xsl:value-of select="count(//*[my:id() != ''])"/>,<xsl:value-of select="//n[my:id() = 'c']"/>,<xsl:value-of select="count(*[not(my:id())]/*[position() = my:sum(../../n[1]) - 1])"/></predicate>
    <available><xsl:value-of select="function-available('my:which')"/>,<xsl:value-of select="function-available('my:none')"/>,<xsl:value-of select="function-available(concat('my:', 'which'))"/>,<xsl:value-of select="element-available('func:result')"/>,<xsl:value-of select="element-available('func:function')"/></available>
    <number><xsl:number value="my:sum(n)" format="I"/></number>
    <choose><xsl:choose><xsl:when test="my:which() = 'imported'">1</xsl:when><xsl:when test="my:stop(3) and my:which() = 'importing'">2</xsl:when><xsl:otherwise>3</xsl:otherwise></xsl:choose></choose>
    <many><xsl:value-of select="concat(my:id(), my:which(), my:arity(1), my:arity(2), my:arity(3, 4), my:sum(n), my:sum(t[0]), my:say(my:say(my:which())))"/></many>
    <xsl:element name="{my:which()}"><xsl:attribute name="{concat('a-', my:arity('b'))}" namespace="urn:{my:which()}"><xsl:value-of select="my:which()"/></xsl:attribute></xsl:element>
    <xsl:apply-templates select="n[1]"/>
  </out>
</xsl:template>
<xsl:template match="n"><xsl:copy><xsl:copy-of select="@*"/><xsl:value-of select="my:arity(my:id())"/></xsl:copy></xsl:template>
</xsl:stylesheet>
