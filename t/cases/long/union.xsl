<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- unions with long rows among short ones, with nodes that are in both -->
<xsl:output omit-xml-declaration="yes"/>
<xsl:template match="/"><out>
<xsl:for-each select="r/g">
  <g n="{@n}" u="{count(i | s)}" v="{count(node() | i | @*)}" w="{count(i[@j] | i[@k = 'x'])}" x="{count(s | i[position() mod 3 = 1] | s[2] | @n | //s[1])}">
    <xsl:for-each select="s | i[. &gt; 90]"><xsl:value-of select="substring(concat(., name()), 1, 3)"/></xsl:for-each>
  </g>
</xsl:for-each>
<all n="{count(//i | //s)}" m="{count(//i[@j] | //i[@k = 'y'] | /r)}"><xsl:for-each select="//i[@k = 'z'][. &gt; 60] | //s[following-sibling::*[1][self::s]] | /r/g"><xsl:value-of select="concat(@n, .//@k[1], name(), ' ')"/></xsl:for-each></all>
</out></xsl:template>
</xsl:stylesheet>
