<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:func="http://exslt.org/functions" xmlns:my="urn:my" xmlns:str="http://exslt.org/strings" xmlns:exsl="http://exslt.org/common" xmlns:math="http://exslt.org/math" xmlns:dyn="http://exslt.org/dynamic" extension-element-prefixes="func" exclude-result-prefixes="my str exsl math dyn">
<xsl:output omit-xml-declaration="yes"/>
<func:function name="my:words"><xsl:param name="n"/><xsl:choose><xsl:when test="$n = 0"><func:result select="0"/></xsl:when>
  <xsl:otherwise><func:result select="count(str:tokenize('a b c')) + my:words($n - 1)"/></xsl:otherwise></xsl:choose></func:function>
<func:function name="my:id"><xsl:param name="x"/><func:result select="$x"/></func:function>
<func:function name="my:first"><xsl:param name="x"/><func:result select="$x[1]"/></func:function>
<func:function name="my:tree"><func:result><a><b n="1"/><b n="2"/></a></func:result></func:function>
<xsl:template match="/">
<xsl:variable name="r" select="math:random()"/>
<out><a><xsl:value-of select="my:words(200)"/></a>
<b><xsl:value-of select="my:id(str:tokenize('x y')[my:id(.) = 'y'])"/></b>
<c><xsl:value-of select="count(//n[math:random() &gt; 0.5][my:id(1) = 1]) &lt; 8"/></c>
<d><xsl:value-of select="exsl:node-set(my:tree())/a/b[my:id(@n) = 2]/@n"/></d>
<e><xsl:value-of select="dyn:evaluate('1 + 1') + my:id(1)"/></e>
<f><xsl:value-of select="my:first(exsl:node-set(my:tree())/a/b)/@n"/><xsl:value-of select="my:first(str:tokenize('p q', ' '))"/></f>
<g><xsl:for-each select="str:tokenize('x yy zzz')"><xsl:sort select="my:id(string-length())" order="descending"/><xsl:value-of select="my:first(.)"/></xsl:for-each></g></out>
</xsl:template>
</xsl:stylesheet>
