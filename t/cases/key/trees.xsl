<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="exsl">
  <!-- key() answers with nodes of the context node's tree only (12.2): each of these fragments is a tree of its own -->
  <xsl:output omit-xml-declaration="yes"/>
  <xsl:key name="k" match="i" use="@k"/>
  <xsl:template match="/">
    <out>
      <xsl:for-each select="/r/i">
        <xsl:variable name="tree"><i k="a" of="{@n}"/><i k="a" of="{@n}"/><i k="b" of="{@n}"/></xsl:variable>
        <xsl:for-each select="exsl:node-set($tree)/i[1]">
          <t of="{@of}"><xsl:for-each select="key('k', 'a')"><xsl:value-of select="@of"/></xsl:for-each></t>
        </xsl:for-each>
      </xsl:for-each>
      <all><xsl:value-of select="count(key('k', 'a'))"/></all>
    </out>
  </xsl:template>
</xsl:stylesheet>
