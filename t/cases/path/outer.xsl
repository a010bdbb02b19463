<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- absolute paths in predicates that depend on variables and current(): lifted to the frame while there is one document, and not when there are two -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:variable name="n" select="2"/>
  <xsl:variable name="v" select="//g[1]/i/@v"/>
  <xsl:value-of select="count(//i[@v = //g[@n = $n]/i/@v])"/><xsl:text> </xsl:text>
  <xsl:value-of select="count(//i[@v = //g[@n &lt; $n]/i[. = current()//i/@w]/@v])"/><xsl:text> </xsl:text>
  <xsl:value-of select="count(//g[i[@v = //i[@w = $n]/@v]])"/><xsl:text> </xsl:text>
  <xsl:value-of select="count(//g[count(//i[@v = $v]) > count(i)])"/><xsl:text> </xsl:text>
  <xsl:value-of select="sum(//i[not(@v != //g[@n = $n]/i[1]/@v) or @w = //g[$n]/@n]/@w)"/><xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//g">
    <xsl:value-of select="count(//i[@v = //g[@n = current()/@n]/i[1]/@v])"/><xsl:text>/</xsl:text>
    <xsl:value-of select="count(i[generate-id() = generate-id(//i[@v = current()/i/@v][1])])"/><xsl:text>/</xsl:text>
    <xsl:value-of select="count(//i[position() = count(//g[@n = current()/@n]/i)])"/><xsl:text> </xsl:text>
  </xsl:for-each>
  <xsl:text>&#10;</xsl:text>
  <!-- in another document `/` is that document's -->
  <xsl:value-of select="count(document('outer2.xml')//i[@v = //g[@n = $n]/i/@v])"/><xsl:text> </xsl:text>
  <xsl:value-of select="count((document('outer2.xml')//i | //i)[@v = //g[@n = $n]/i/@v])"/><xsl:text> </xsl:text>
  <xsl:for-each select="document('outer2.xml')//g">
    <xsl:value-of select="count(//i[@v = //g[@n = current()/@n]/i[1]/@v])"/><xsl:text> </xsl:text>
  </xsl:for-each>
  <xsl:for-each select="//g">
    <xsl:value-of select="count(//i[@v = //g[@n = current()/@n]/i[1]/@v])"/><xsl:text> </xsl:text>
  </xsl:for-each>
  <xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
