<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="exsl">
<xsl:output omit-xml-declaration="yes"/>
<!-- count(key()) and key()[1] with several documents: the same two values for every row, and rows of both documents -->
<xsl:key name="v" match="i" use="@v"/>
<xsl:variable name="tree"><i v="a" n="1"/><i v="b" n="2"/><i v="a" n="3"/><q v="a"/><q v="b"/><q v="a"/></xsl:variable>
<xsl:variable name="doc" select="exsl:node-set($tree)"/>
<xsl:variable name="two" select="$doc/q/@v"/>
<xsl:template match="/">
<out><xsl:for-each select="$doc/i | /*">
  <r n="{count(key('v', $two))}" f="{key('v', $two)[1]/@n}" a="{count(key('v', 'a'))}" o="{count(key('v', @v))}"/></xsl:for-each></out>
</xsl:template>
</xsl:stylesheet>
