<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:func="http://exslt.org/functions"
  xmlns:my="urn:my" xmlns:exsl="http://exslt.org/common" extension-element-prefixes="func" exclude-result-prefixes="my exsl">
<xsl:output indent="yes" omit-xml-declaration="yes"/>
<!-- arguments, defaults, position -->
<func:function name="my:fact"><xsl:param name="n"/>
  <xsl:choose><xsl:when test="$n &lt;= 1"><func:result select="1"/></xsl:when>
  <xsl:otherwise><func:result select="$n * my:fact($n - 1)"/></xsl:otherwise></xsl:choose></func:function>
<func:function name="my:fib"><xsl:param name="n"/>
  <xsl:choose><xsl:when test="$n &lt; 2"><func:result select="$n"/></xsl:when>
  <xsl:otherwise><func:result select="my:fib($n - 1) + my:fib($n - 2)"/></xsl:otherwise></xsl:choose></func:function>
<func:function name="my:reverse"><xsl:param name="s"/>
  <xsl:if test="$s"><func:result select="concat(my:reverse(substring($s, 2)), substring($s, 1, 1))"/></xsl:if></func:function>
<func:function name="my:defaults"><xsl:param name="a" select="'A'"/><xsl:param name="b">B</xsl:param><xsl:param name="c" select="concat($a, $b)"/>
  <func:result select="concat($a, '-', $b, '-', $c)"/></func:function>
<func:function name="my:kids"><xsl:param name="of" select="."/><func:result select="$of/*"/></func:function>
<func:function name="my:name"><func:result select="name()"/></func:function>
<func:function name="my:tree"><xsl:param name="t"/><func:result><t a="{$t}"><xsl:value-of select="$t"/></t></func:result></func:function>
<func:function name="my:nothing"/>
<func:function name="my:even"><xsl:param name="n"/><func:result select="$n = 0 or my:odd($n - 1)"/></func:function>
<func:function name="my:odd"><xsl:param name="n"/><func:result select="$n &gt; 0 and my:even($n - 1)"/></func:function>
<func:function name="my:deep"><xsl:param name="n"/>
  <xsl:for-each select="item[@n = $n]"><xsl:if test="true()"><xsl:choose><xsl:when test="@p = 'x'"><func:result select="concat('x', @p)"/></xsl:when>
  <xsl:otherwise><func:result select="string(@p)"/></xsl:otherwise></xsl:choose></xsl:if></xsl:for-each></func:function>
<func:function name="my:place"><func:result select="concat(position(), '/', last())"/></func:function>
<func:function name="my:price"><xsl:param name="i" select="."/><func:result select="$i/@p * 2"/></func:function>
<func:function name="my:is-dear"><func:result select="@v &gt; 15"/></func:function>
<xsl:key name="double" match="item" use="my:twice(@v)"/>
<func:function name="my:twice"><xsl:param name="n"/><func:result select="$n * 2"/></func:function>
<xsl:variable name="global" select="my:fact(4) + $later"/>
<xsl:variable name="later" select="my:twice(my:fact(3))"/>
<xsl:variable name="global-content"><g><xsl:copy-of select="my:tree('in global')"/></g></xsl:variable>
<xsl:template match="/">
  <out>
    <fact><xsl:value-of select="my:fact(5)"/></fact>
    <fib><xsl:value-of select="my:fib(9)"/></fib>
    <reverse><xsl:value-of select="my:reverse('abcdef')"/></reverse>
    <defaults><xsl:value-of select="concat(my:defaults(), ' ', my:defaults(1), ' ', my:defaults(1, 2), ' ', my:defaults(1, 2, 3))"/></defaults>
    <kids><xsl:value-of select="count(my:kids(/doc)[@v])"/>,<xsl:value-of select="my:kids(doc)/@p"/>,<xsl:value-of select="name(my:kids()[1])"/></kids>
    <tree><xsl:copy-of select="my:tree('x')"/><xsl:value-of select="my:tree('y')"/></tree>
    <nothing><xsl:value-of select="my:nothing()"/><xsl:value-of select="boolean(my:nothing())"/></nothing>
    <even><xsl:value-of select="my:even(10)"/>,<xsl:value-of select="my:even(7)"/></even>
    <in-test><xsl:if test="my:even(4)">yes</xsl:if></in-test>
    <avt a="{my:fact(3)}" b="x{my:twice(4)}y"/>
    <global><xsl:value-of select="$global"/>,<xsl:copy-of select="$global-content"/></global>
    <key><xsl:value-of select="key('double', 20)/@n"/></key>
    <xsl:apply-templates select="doc"/>
  </out>
</xsl:template>
<xsl:template match="doc">
  <names><xsl:for-each select="*"><xsl:value-of select="my:name()"/><xsl:text> </xsl:text></xsl:for-each></names>
  <predicate><xsl:for-each select="*[my:is-dear()]"><xsl:value-of select="@n"/><xsl:text> </xsl:text></xsl:for-each></predicate>
  <places><xsl:for-each select="item"><xsl:value-of select="my:place()"/><xsl:text> </xsl:text></xsl:for-each></places>
  <in-predicate><xsl:value-of select="item[my:place() = '2/4']/@n"/></in-predicate>
  <by-number><xsl:value-of select="item[my:twice(1)]/@n"/></by-number>
  <deep><xsl:value-of select="my:deep('b')"/>,<xsl:value-of select="my:deep('a')"/>,<xsl:value-of select="my:deep('none')"/></deep>
  <sorted><xsl:for-each select="item"><xsl:sort select="my:twice(@v)" data-type="number" order="descending"/><xsl:value-of select="@n"/></xsl:for-each></sorted>
  <with><xsl:call-template name="t"><xsl:with-param name="a" select="my:fact(3)"/><xsl:with-param name="b"><xsl:value-of select="my:twice(my:twice(2))"/></xsl:with-param>
     <xsl:with-param name="c" select="my:kids()"/></xsl:call-template></with>
  <xsl:apply-templates select="item[my:is-dear()]"/>
</xsl:template>
<xsl:template match="item[my:is-dear()]" priority="2"><dear n="{@n}" double="{my:twice(@v)}"/></xsl:template>
<xsl:template match="item"><cheap/></xsl:template>
<xsl:template name="t"><xsl:param name="a"/><xsl:param name="b"/><xsl:param name="c"/><xsl:value-of select="concat($a, ' ', $b, ' ', count($c))"/></xsl:template>
</xsl:stylesheet>
