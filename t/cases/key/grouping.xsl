<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output omit-xml-declaration="yes"/>
<!-- key(...)[1], count(key(...)) and boolean(key(...)): the same as of the whole list, whatever the key is -->
<xsl:key name="g" match="i" use="@g"/>
<xsl:key name="t" match="i" use="t"/>
<xsl:key name="two" match="i[@g = 'a']" use="@n"/>
<xsl:key name="two" match="i" use="@g"/>
<xsl:key name="alt" match="i | t" use="."/>
<xsl:key name="fix" match="i" use="/r/first"/>
<xsl:template match="/r">
<out>
  <xsl:for-each select="i[generate-id() = generate-id(key('g', @g)[1])]"><g v="{@g}" n="{count(key('g', @g))}" of="{key('g', @g)[2]/@n}" last="{key('g', @g)[last()]/@n}"/></xsl:for-each>
  <xsl:for-each select="i[position() mod 20 = 1]"><t v="{@n}" a="{count(key('t', t))}" b="{key('t', t)[1]/@n}" c="{count(key('t', t[1]))}" d="{key('t', 'none')[1]}{count(key('t', 'none'))}"/></xsl:for-each>
  <k a="{count(key('t', 'x'))}" b="{key('two', 'a')[1]/@n}" c="{count(key('two', 'a'))}" d="{key('two', '4')[1]/@n}" e="{count(key('alt', 'x'))}" f="{name(key('alt', 'x')[1])}" g="{boolean(key('g', 'z'))}{boolean(key('g', 'b'))}{not(key('two', 'c'))}"
     h="{count(key('fix', 'one'))}/{key('fix', 'two')[1]/@n}/{count(key('fix', /r/first))}/{count(key('g', /r/i/@g))}/{key('g', //t)[1]/@n}" i="{key('g', 'b')[1][@n &gt; 3]/@n}{key('g', 'b')[position() = 1]/@n}{key('g', 'b')[@n &gt; 40][1]/@n}"/>
  <xsl:if test="key('g', 'c')">c</xsl:if>
  <xsl:value-of select="count(//i[@g = current()/i[5]/@g])"/>
</out>
</xsl:template>
</xsl:stylesheet>
