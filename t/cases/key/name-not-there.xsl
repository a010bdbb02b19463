<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output omit-xml-declaration="yes"/>
<!-- of a key that is not declared no node has a value: computed names -->
<xsl:key name="k" match="*" use="name()"/>
<xsl:template match="/">
<o><xsl:value-of select="count(key(name(/*), 'x'))"/><xsl:for-each select="//*"><xsl:sort select="name()"/>;<xsl:value-of select="name()"/>=<xsl:value-of select="count(key(name(), name()))"/>,<xsl:value-of select="count(key(substring('kk', 1, 1 + (position() mod 2)), name()))"/></xsl:for-each></o>
</xsl:template>
</xsl:stylesheet>
