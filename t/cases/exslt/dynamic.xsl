<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dyn="http://exslt.org/dynamic" xmlns:s="http://icl.com/saxon" xmlns:x="http://xml.apache.org/xalan" xmlns:e="http://exslt.org/common" xmlns:p="urn:p" exclude-result-prefixes="dyn s x e p">
<xsl:output omit-xml-declaration="yes"/>
<xsl:param name="given" select="'r/n[2]'"/>
<xsl:variable name="late" select="$later + 1"/>
<xsl:variable name="later" select="count(//n)"/>
<xsl:variable name="p:q" select="'qualified'"/>
<xsl:template match="/"><out>
<a><xsl:value-of select="dyn:evaluate('1 + 1')"/>,<xsl:value-of select="s:evaluate('count(//n)')"/>,<xsl:value-of select="x:evaluate(&quot;'text'&quot;)"/></a>
<b><xsl:copy-of select="dyn:evaluate('r/n[@id = &quot;b&quot;] | //g/n')"/></b>
<c><xsl:value-of select="dyn:evaluate($given)"/>,<xsl:value-of select="dyn:evaluate($given)/@id"/>,<xsl:value-of select="count(dyn:evaluate('//n[. = 12]')[2])"/></c>
<d><xsl:value-of select="dyn:evaluate('$late')"/>,<xsl:value-of select="dyn:evaluate('$p:q')"/></d>
<f><xsl:for-each select="r/n"><xsl:variable name="local" select="@id"/><xsl:variable name="tree">(<i><xsl:value-of select="."/></i>)</xsl:variable>
<xsl:value-of select="dyn:evaluate('concat($local, $tree, position(), last(), .)')"/>;</xsl:for-each></f>
<g><xsl:for-each select="r/n"><xsl:if test="true()"><xsl:variable name="inner" select="1"/><xsl:value-of select="dyn:evaluate(concat('@', 'id'))"/><xsl:value-of select="dyn:evaluate('$inner + position()')"/>,</xsl:if></xsl:for-each></g>
<h><xsl:for-each select="r/t"><xsl:value-of select="dyn:evaluate(concat('count(../', name(../*[1]), '[', position(), '])'))"/>,</xsl:for-each></h>
<i><xsl:value-of select="count(dyn:evaluate('1 +'))"/>,<xsl:value-of select="count(dyn:evaluate('$nothing'))"/>,<xsl:value-of select="dyn:evaluate('')"/></i>
<j><xsl:value-of select="count(//n[dyn:evaluate('. = 12')])"/>,<xsl:value-of select="count(r/n[dyn:evaluate('position() = last()')])"/>,<xsl:value-of select="r/n[dyn:evaluate('2')]"/></j>
<k><xsl:for-each select="r/*[position() &lt; 4]"><xsl:value-of select="concat(e:object-type(dyn:evaluate(substring('.   1+1 true()', position() * 4 - 3, 4 + 2 * (position() = 3)))), ' ')"/></xsl:for-each></k>
<l><xsl:for-each select="r/n"><xsl:sort select="dyn:evaluate('- number(.)')" data-type="number"/><xsl:value-of select="@id"/></xsl:for-each></l>
<m><xsl:value-of select="dyn:evaluate('dyn:evaluate(&quot;count(//n)&quot;) * 2')"/></m>
<n><xsl:value-of select="count(dyn:evaluate('e:node-set($given)'))"/></n>
<o><xsl:for-each select="r/n"><xsl:variable name="f"><u/><u/></xsl:variable><xsl:value-of select="dyn:evaluate('count(e:node-set($f)/u)')"/></xsl:for-each>,<xsl:value-of select="count(//n)"/></o>
<q><xsl:copy-of select="dyn:map(r/n, '. > 3')"/></q>
<r><xsl:copy-of select="dyn:map(r/n, '. + position()')"/></r>
<s><xsl:for-each select="dyn:map(r/n, 'following-sibling::*[1]')"><xsl:value-of select="."/>,</xsl:for-each></s>
<t><xsl:copy-of select="dyn:map(r/n[position() = last()], '@id')/.."/><xsl:value-of select="count(dyn:map(/.., '1'))"/></t>
<u><xsl:value-of select="concat(dyn:min(r/n, '. * 2'), ' ', dyn:max(r/n, '. * 2'), ' ', dyn:sum(r/n, 'position()'), ' ', dyn:max(/.., '1'), ' ', dyn:sum(/.., '1'), ' ', dyn:min(//n, '.'))"/></u>
<v><xsl:for-each select="r/n"><xsl:value-of select="count(dyn:map(preceding-sibling::n, '.'))"/></xsl:for-each></v>
<w><xsl:value-of select="count(dyn:evaluate('namespace::*'))"/></w>
</out></xsl:template></xsl:stylesheet>
