<!-- A tree made in an expression is one more document when a function's call in it begins the instruction again -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings" xmlns:func="http://exslt.org/functions"
    xmlns:my="urn:my" extension-element-prefixes="func">
  <xsl:output method="text"/>
  <func:function name="my:one"><xsl:param name="x" select="."/><func:result select="string-length($x) + 1"/></func:function>
  <func:function name="my:is-last"><func:result select="not(following-sibling::n)"/></func:function>
  <xsl:template match="/">
    <xsl:for-each select="//n">
      <xsl:value-of select="count(str:tokenize('a b c')) + my:one()"/>
      <xsl:text> </xsl:text>
      <xsl:value-of select="count(str:split('')) = my:one(count(//n)) - 2"/>
      <xsl:text> </xsl:text>
      <xsl:value-of select="count(//n[str:tokenize('3 12') = .][my:is-last()])"/>
      <xsl:text> </xsl:text>
      <xsl:value-of select="count(../n[. = str:tokenize('3 12')][count(//n[my:is-last()]) = my:one('')])"/>
      <xsl:text> </xsl:text>
      <xsl:value-of select="count((str:tokenize('3 12') | .)[count(//token) = my:one('a')])"/>
      <xsl:text> </xsl:text>
      <xsl:value-of select="count(document('doc.xml', /)//n[my:is-last()] | str:tokenize(my:one()))"/>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
