<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- the nth of an axis, from the context on; the first in document order; how many there are -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="//node()[position() mod 3 = 1] | //@n">
    <xsl:value-of select="concat(name(), '#', @n, ' ', preceding-sibling::i[1]/@n, ' ', preceding-sibling::*[2]/@n, ' ', preceding-sibling::node()[15]/@n, ' ', preceding-sibling::i[16]/@n, ' ', preceding-sibling::h[last()]/@n)"/>
    <xsl:value-of select="concat(' | ', preceding::i[1]/@n, ' ', preceding::*[3]/@n, ' ', preceding::text()[2], ' ', preceding::comment()[1], ' ', preceding::processing-instruction()[1], ' ', preceding::h[20]/@n)"/>
    <xsl:value-of select="concat(' | ', following::i[1]/@n, ' ', following::*[3]/@n, ' ', following-sibling::h[2]/@n, ' ', following-sibling::i[v > 30][2]/@n, ' ', descendant::*[2], ' ', ancestor::*[1]/@n, ' ', name(ancestor-or-self::*[last()]), ' ', child::*[1])"/>
    <xsl:value-of select="concat(' | ', preceding-sibling::i/@n, ' ', preceding-sibling::h, ' ', following-sibling::node(), ' ', preceding::v, ' ', following::v, ' ', name(ancestor::*), ' ', name(following::*), ' ', name(preceding-sibling::*))"/>
    <xsl:value-of select="concat(' | ', count(preceding-sibling::i), ' ', count(preceding-sibling::node()), ' ', count(following-sibling::h), ' ', count(following-sibling::node()))"/>
    <xsl:value-of select="concat(' | ', count(preceding::i), ' ', count(preceding::*), ' ', count(preceding::text()), ' ', count(preceding::processing-instruction()), ' ', count(preceding::node()))"/>
    <xsl:value-of select="concat(' | ', count(following::i), ' ', count(following::*), ' ', count(following::text()), ' ', count(following::processing-instruction('pi')), ' ', count(following::node()))"/>
    <xsl:value-of select="concat(' | ', count(ancestor::*), ' ', count(ancestor-or-self::node()), ' ', count(..), ' ', count(@*), ' ', count(@*/..), ' ', count(descendant::i), ' ', count(descendant-or-self::node()), ' ', count(*/*), ' ', count(.//i/v), ' ', count(none))"/>
    <xsl:text>&#10;</xsl:text>
  </xsl:for-each>
  <xsl:value-of select="concat(count(//i/v), ' ', count(//i/preceding-sibling::i), ' ', count(//*/@n), ' ', count(//v/..), ' ', count(/), ' ', count(/*/*), ' ', count(//g/i[3]/following-sibling::i), ' ', count(//i/following::h), ' ', count(//i/i))"/>
  <xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//i[count(following-sibling::i) > count(preceding-sibling::i)][count(following::*) mod 5 = 0]"><xsl:value-of select="concat(@n, ' ')"/></xsl:for-each>
  <xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
