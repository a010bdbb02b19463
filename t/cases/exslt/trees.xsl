<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings" exclude-result-prefixes="str">
<xsl:output omit-xml-declaration="yes"/>
<xsl:template match="/"><out>
<a><xsl:copy-of select="str:tokenize('2001-06-03T11:40:23', '-T:')"/></a>
<b><xsl:copy-of select="str:tokenize('  date math&#10;str')"/></b>
<c><xsl:copy-of select="str:tokenize('aéb', '')"/></c>
<d><xsl:value-of select="count(str:tokenize('', ' '))"/>,<xsl:value-of select="count(str:tokenize('---', '-'))"/></d>
<e><xsl:copy-of select="str:tokenize('aéb→c', '→é')"/></e>
<f><xsl:copy-of select="str:split('a, simple, list', ', ')"/></f>
<g><xsl:copy-of select="str:split('date math str')"/></g>
<h><xsl:copy-of select="str:split('foo', '')"/></h>
<i><xsl:copy-of select="str:split('--a----b--', '--')"/></i>
<j><xsl:for-each select="r/n"><xsl:value-of select="count(str:tokenize(concat(@id, ' ', .)))"/>:<xsl:value-of select="str:tokenize(concat(@id, ' ', .))[2]"/>,</xsl:for-each></j>
<k><xsl:for-each select="str:tokenize('c a b')"><xsl:sort select="."/><xsl:value-of select="concat(position(), name(), .)"/></xsl:for-each></k>
<l><xsl:value-of select="count(str:tokenize('a b')/..)"/>,<xsl:value-of select="str:tokenize('a b')/following-sibling::token"/></l>
<m><xsl:value-of select="count(r/n[str:tokenize('3 12') = .])"/></m>
</out></xsl:template></xsl:stylesheet>
