<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- keys with long buckets: all nodes, counts, the first; by a string, by a set of several values, by two declarations, a value of a node twice -->
<xsl:output omit-xml-declaration="yes"/>
<xsl:key name="k" match="i" use="@k"/>
<xsl:key name="two" match="i" use="@k | @j"/>
<xsl:key name="both" match="i" use="@k"/>
<xsl:key name="both" match="i" use="@j"/>
<xsl:template match="/"><out x="{count(key('k', 'x'))}" y="{sum(key('k', 'y'))}" no="{count(key('k', 'q'))}" f="{key('k', 'x')[1]}" l="{key('k', 'x')[last()]}" two="{count(key('two', 'x'))}" both="{count(key('both', 'x'))}" set="{count(key('k', //@j))}" sets="{count(key('two', //@k))}">
<xsl:for-each select="r/g">
  <g n="{@n}" c="{count(key('k', i/@k))}" d="{count(key('two', i/@j))}" e="{count(key('both', i[last()]/@*))}" own="{count(key('k', i[2]/@k)[.. = current()])}" first="{generate-id(key('k', i/@k)) = generate-id(//i[@k = 'x'][1])}"/>
</xsl:for-each>
<xsl:for-each select="//i[generate-id() = generate-id(key('two', @k)[1])]"><k v="{@k}" n="{count(key('two', @k))}" s="{format-number(sum(key('two', @k)), '0.00')}"/></xsl:for-each>
</out></xsl:template>
</xsl:stylesheet>
