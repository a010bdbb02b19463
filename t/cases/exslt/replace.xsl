<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings" exclude-result-prefixes="str">
<xsl:output omit-xml-declaration="yes"/>
<xsl:template match="/"><out>
<a><xsl:value-of select="str:replace('________', '__', '_')"/></a>
<b><xsl:value-of select="str:replace('a, b, c', ', ', '')"/></b>
<c><xsl:value-of select="str:replace('abc', 'x', 'y')"/>,<xsl:value-of select="count(str:replace('a-b', '-', '+'))"/>,<xsl:value-of select="count(str:replace('', 'a', 'b'))"/></c>
<d><xsl:value-of select="str:replace('abc', '', '-')"/></d>
<e><xsl:copy-of select="str:replace('1-2-3', '-', r/x[1]/i)"/></e>
<f><xsl:copy-of select="str:replace('abbab', r/s[position() &lt; 3], r/x)"/></f>
<g><xsl:copy-of select="str:replace('aba', /r/s[2], r/x/@k)"/></g>
<h><xsl:copy-of select="str:replace('a-b', /r/s[. = 'b' or . = '-'], 'only')"/></h>
<i><xsl:for-each select="r/s"><xsl:value-of select="str:replace('ab-b', ., '.')"/>;</xsl:for-each></i>
<j><xsl:value-of select="str:replace('a1b', 1, 2)"/></j>
<k><xsl:copy-of select="str:replace('abcd,abc', r/t, r/u)"/></k>
<l><xsl:value-of select="str:replace('aaa', 'aa', 'b')"/>,<xsl:value-of select="str:concat(str:replace('é€é', r/v, r/u))"/></l>
</out></xsl:template></xsl:stylesheet>
