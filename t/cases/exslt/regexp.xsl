<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:regexp="http://exslt.org/regular-expressions" exclude-result-prefixes="regexp">
<xsl:output omit-xml-declaration="yes"/>
<xsl:template match="/"><out>
<a><xsl:value-of select="concat(regexp:test('Hello', '^h'), regexp:test('Hello', '^h', 'i'), regexp:test('a', 'a$', ''), regexp:test('a&#10;', 'a$'))"/></a>
<b><xsl:copy-of select="regexp:match('http://www.bayes.co.uk/xml/index.xml?/xml/utils/rechecker.xml', '(\w+):\/\/([^/:]+)(:\d*)?([^# ]*)')"/></b>
<c><xsl:copy-of select="regexp:match('This is a test string', '(\w+)', 'g')"/></c>
<d><xsl:copy-of select="regexp:match('This is a test string', '([a-z])+ ', 'g')"/></d>
<e><xsl:value-of select="count(regexp:match('a', 'b'))"/></e>
<f><xsl:value-of select="regexp:replace('foobar1', '(\d)', '', '[$1]')"/></f>
<g><xsl:value-of select="regexp:replace('a-b-c', '-', '', '+')"/>,<xsl:value-of select="regexp:replace('a-b-c', '-', 'g', '+')"/></g>
<h><xsl:value-of select="regexp:replace('abc', 'x*', 'g', '-')"/></h>
<i><xsl:value-of select="regexp:replace('John Smith', '(\w+) (\w+)', '', '$2, $1 ($&amp;) $$ $9 $')"/></i>
<j><xsl:value-of select="regexp:replace('é→É', 'é', 'gi', 'x')"/></j>
<k><xsl:for-each select="r/n"><xsl:value-of select="regexp:test(., '^\d+$')"/>,</xsl:for-each></k>
<l><xsl:for-each select="r/n"><xsl:value-of select="count(regexp:match(., '\d', 'g'))"/><xsl:value-of select="regexp:replace(., '(\d)', 'g', '$1$1')"/>,</xsl:for-each></l>
<m><xsl:value-of select="count(//n[regexp:test(@id, concat('[a', ../n[2]/@id, ']'))])"/></m>
</out></xsl:template></xsl:stylesheet>
