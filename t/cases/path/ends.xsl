<!-- The first and the last node of unions and axes, by way of each one's own -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output indent="yes" omit-xml-declaration="yes"/>
  <xsl:variable name="all" select="//i"/>
  <xsl:template match="/">
    <all>
      <xsl:for-each select="//g | //i | //@n | //text()">
        <row>
          <xsl:for-each select="(ancestor::* | preceding::*)[last()] | (ancestor::* | preceding::*)[1] | (following::* | descendant::*)[last()] | (following::i | descendant::i)[1]">
            <xsl:value-of select="concat(name(), @n, ' ')"/>
          </xsl:for-each>
          <xsl:value-of select="concat('/ ', (preceding::i)[last()], (preceding::i)[1], (following-sibling::i)[last()], (preceding-sibling::*)[last()], (//i)[last()], (.//i)[1], (ancestor-or-self::g)[1]/@n)"/>
          <xsl:value-of select="concat('/ ', (preceding::i[@x] | ancestor::g)[last()]/@n, (preceding::i | $all)[last()], (i | g)[1], (g | i | following::g/i)[last()], (preceding::*/i | ancestor::*/i)[last()], ((preceding::i | self::i)[1] | following::i)[last()])"/>
          <xsl:value-of select="concat('/ ', (preceding::i | following::i)[last()][. = 'o'], count((preceding::i | following::i)[1]/ancestor::g), (preceding::i)[position() = last()], (following::i | .)[1])"/>
        </row>
      </xsl:for-each>
    </all>
  </xsl:template>
</xsl:stylesheet>
