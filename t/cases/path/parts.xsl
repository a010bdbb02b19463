<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- values of little room by way of sets that are each a good part of the document: evaluated for some rows after the others -->
<xsl:output method="text"/>
<xsl:key name="k" match="i" use="@k"/>
<xsl:template match="/">
  <xsl:variable name="all" select="//i"/>
  <xsl:variable name="ten" select="10"/>
  <!-- in instructions: a boolean, a number, a string of nodes -->
  <xsl:for-each select="r/i">
    <xsl:if test="not(@k = preceding-sibling::i/@k)">+</xsl:if>
    <xsl:if test="v &lt; preceding::v and v > following::v">-</xsl:if>
    <xsl:value-of select="sum(preceding-sibling::i[v > $ten]/v) mod 7"/>
    <xsl:value-of select="preceding-sibling::i[@k = current()/@k]/@n"/>
    <xsl:text>,</xsl:text>
    <xsl:value-of select="following-sibling::*[self::h or self::i][position() &lt; 4][last()]/@n"/>
    <xsl:text>,</xsl:text>
    <xsl:value-of select="count(../*[@k = current()/@k]) + position() + last()"/>
    <xsl:text>;</xsl:text>
  </xsl:for-each>
  <xsl:text>&#10;</xsl:text>
  <!-- sets, of which predicates leave little -->
  <xsl:for-each select="//h">
    <xsl:value-of select="concat(@n, ':')"/>
    <xsl:for-each select="following-sibling::i[generate-id(preceding-sibling::h[1]) = generate-id(current())]"><xsl:value-of select="concat(@n, ' ')"/></xsl:for-each>
    <xsl:for-each select="(preceding::i | following::i)[v = 49 or position() = $ten]"><xsl:value-of select="@n"/>.</xsl:for-each>
  </xsl:for-each>
  <xsl:text>&#10;</xsl:text>
  <!-- in predicates, one in the other, per context and merged -->
  <xsl:for-each select="//i[not(@k = preceding::i/@k)]"><xsl:value-of select="concat(@k, count(key('k', @k)[v > 20]), ' ')"/></xsl:for-each>
  <xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//i[v = following::v[../@k > 1 or . > 40]])"/><xsl:text> </xsl:text>
  <xsl:value-of select="count(//i[count(preceding-sibling::i[@k = current()//i[1]/@k]) > 2])"/><xsl:text> </xsl:text>
  <xsl:value-of select="count(//i[following-sibling::*[1][self::h]][preceding::i[v > 40][2]])"/><xsl:text> </xsl:text>
  <xsl:value-of select="count(//h[following-sibling::i[count(preceding-sibling::h[@n mod 2 = 0]) = 3]])"/><xsl:text> </xsl:text>
  <xsl:value-of select="count(//i[. = (preceding::i | following::i)[position() mod 3 = 0]])"/><xsl:text> </xsl:text>
  <xsl:value-of select="sum(//i[v = current()//g/i/v][position() mod 2 = 1]/v)"/><xsl:text> </xsl:text>
  <xsl:value-of select="count(//i[position() > count(preceding-sibling::*) - last() + $ten])"/>
  <xsl:text>&#10;</xsl:text>
  <!-- variables, keys and ids of rows -->
  <xsl:for-each select="//h[@n > 30]">
    <xsl:variable name="before" select="preceding-sibling::i"/>
    <xsl:variable name="me" select="."/>
    <xsl:value-of select="count($before[v > $ten])"/><xsl:text>/</xsl:text>
    <xsl:value-of select="sum($before[v = $all[@k = 'a1']/v]/v)"/><xsl:text>/</xsl:text>
    <xsl:value-of select="count($all[v > $me/@n])"/><xsl:text>/</xsl:text>
    <xsl:value-of select="count(//i[v > current()/@n])"/><xsl:text>/</xsl:text>
    <xsl:value-of select="$before[last()]/@n"/><xsl:text>/</xsl:text>
    <xsl:value-of select="count(key('k', preceding-sibling::i/@k)[v = $ten])"/><xsl:text>/</xsl:text>
    <xsl:for-each select="$before[@k = $all[last()]/@k]"><xsl:value-of select="@n"/></xsl:for-each>
    <xsl:text> </xsl:text>
  </xsl:for-each>
  <xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//i"><xsl:sort select="count(preceding::i[@k = current()/@k])" data-type="number"/><xsl:sort select="@n"/><xsl:if test="position() mod 9 = 0"><xsl:value-of select="concat(@n, ' ')"/></xsl:if></xsl:for-each>
  <xsl:text>&#10;</xsl:text>
  <xsl:apply-templates select="r/i[position() mod 8 = 0]"/>
  <xsl:text>&#10;</xsl:text>
</xsl:template>
<xsl:template match="i[v > preceding-sibling::i/v]"><xsl:value-of select="concat('m', @n, ' ')"/></xsl:template>
<xsl:template match="i"><xsl:value-of select="concat('i', @n, ' ')"/></xsl:template>
</xsl:stylesheet>
