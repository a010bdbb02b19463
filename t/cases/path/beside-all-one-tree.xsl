<!-- what is counted, added or compared of all that is before or behind a node, also around it, of all kinds of nodes: of one tree, what needs no host step -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:apply-templates mode="show" select="/ | //* | //@* | //text() | //comment() | //r[last()]/namespace::*"/>
    <xsl:text>two: </xsl:text>
    <xsl:apply-templates mode="show" select="//r"/>
    <xsl:text>none: </xsl:text>
    <xsl:value-of select="count(//none[@v &gt; following::r/@v]) + count(//r[@v &lt; following::none/@v]) + count(//r[not(@v &lt; following::r/@v)])"/>
    <xsl:for-each select="//r[not(@v &lt; following::r/@v)] | //r[@v &gt; preceding::r/@v]">
      <xsl:value-of select="concat(' ', @v)"/>
    </xsl:for-each>
    <xsl:text>&#10;</xsl:text>
  </xsl:template>
  <xsl:template match="/ | node() | @*" mode="show">
    <xsl:value-of select="concat(name(), '=', normalize-space(.), ' ', count(preceding::r[@w]), count(following::r[@w]), count(preceding::r[@v &gt; 3]/@v),
        count(following::r[@v &gt; 3]/@v), ' ', sum(preceding::r[@v != 'x']/@v), ' ', sum(following::r[@v != 'x']/@v), ' ', sum(preceding::*/@w), ' ',
        sum(following::*/@w), ' ', count(preceding::r/r), count(following::r/c), count(following::text()[. != '']), count(preceding::node()[. = '']))"/>
    <xsl:value-of select="concat(' ', . &gt; preceding::r/@v, . &lt; following::r/@v, @v &gt;= preceding::r/@v, @v &lt;= following::r/@w, ' ',
        preceding::c/@v &lt; following::r/@v, count(preceding::*[@v]/@v), count(following::*[@v]/@w), count(../preceding::r[@v]), '&#10;')"/>
  </xsl:template>
</xsl:stylesheet>
