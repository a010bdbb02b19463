<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings" exclude-result-prefixes="str">
<xsl:output method="text" encoding="UTF-8"/>
<xsl:template match="/">
concat [<xsl:value-of select="str:concat(//t)"/>] [<xsl:value-of select="str:concat(/..)"/>]
padding [<xsl:value-of select="str:padding(3)"/>] [<xsl:value-of select="str:padding(5, 'ab')"/>] [<xsl:value-of select="str:padding(0, 'x')"/>] [<xsl:value-of select="str:padding(-1)"/>] [<xsl:value-of select="str:padding(3, 'é')"/>] [<xsl:value-of select="str:padding(3, '')"/>]
rows <xsl:for-each select="r/n">[<xsl:value-of select="str:padding(., @id)"/>]</xsl:for-each>
align [<xsl:value-of select="str:align('abc', '------')"/>] [<xsl:value-of select="str:align('abc', '------', 'right')"/>] [<xsl:value-of select="str:align('abc', '------', 'center')"/>] [<xsl:value-of select="str:align('abcdef', '---', 'right')"/>] [<xsl:value-of select="str:align('é', '..', 'nowhere')"/>]
encode [<xsl:value-of select="str:encode-uri('http://a/b c?é', false())"/>] [<xsl:value-of select="str:encode-uri('a/b', true())"/>] [<xsl:value-of select="str:encode-uri('100%/a%20b', true())"/>] [<xsl:value-of select="str:encode-uri('a', true(), 'utf-8')"/>] [<xsl:value-of select="str:encode-uri('a', true(), 'KOI8-R')"/>]
decode [<xsl:value-of select="str:decode-uri('a%20%C3%A9')"/>] [<xsl:value-of select="str:decode-uri('%FF')"/>] [<xsl:value-of select="str:decode-uri('a', 'KOI8-R')"/>]
</xsl:template></xsl:stylesheet>
