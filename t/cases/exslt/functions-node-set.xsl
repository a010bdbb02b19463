<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:func="http://exslt.org/functions" xmlns:my="urn:my" xmlns:exsl="http://exslt.org/common" xmlns:str="http://exslt.org/strings" extension-element-prefixes="func" exclude-result-prefixes="my exsl str">
<xsl:output omit-xml-declaration="yes"/>
<func:function name="my:kids"><func:result select="node()"/></func:function>
<func:function name="my:id"><xsl:param name="x"/><func:result select="$x"/></func:function>
<func:function name="my:first"><xsl:param name="x"/><func:result select="$x[1]"/></func:function>
<xsl:template match="/"><out>
<a><xsl:value-of select="count(exsl:node-set(my:kids())/p)"/>,<xsl:value-of select="count(exsl:node-set(my:kids())/nothing/b)"/></a>
<b><xsl:for-each select="//p"><xsl:value-of select="count(exsl:node-set(my:id(*))/ancestor::p)"/>,<xsl:value-of select="my:first(exsl:node-set(my:kids()))/@id"/>;</xsl:for-each></b>
<c><xsl:value-of select="exsl:node-set(my:id(exsl:node-set(my:id(//q))))/@id"/>,<xsl:value-of select="my:id(str:tokenize(my:id('x y')))"/></c>
</out></xsl:template></xsl:stylesheet>
