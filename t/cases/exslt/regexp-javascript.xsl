<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:re="http://exslt.org/regular-expressions">
  <!-- each line of the document is a case; what is not as in JavaScript is named -->
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:for-each select="r/t">
      <xsl:variable name="got" select="re:replace(@s, @p, @f, @r)"/>
      <xsl:if test="$got != @w"><xsl:value-of select="concat(@p, ' /', @f, ' on ', @s, ': ', $got, ', not ', @w, '&#10;')"/></xsl:if>
    </xsl:for-each>
    <xsl:value-of select="concat(count(r/t), ' cases')"/>
  </xsl:template>
</xsl:stylesheet>
