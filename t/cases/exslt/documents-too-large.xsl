<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings">
  <!-- 300 documents of some 7 KB are more than the arena that the .args allow -->
  <xsl:template match="/" name="level">
    <xsl:param name="n" select="300"/>
    <xsl:if test="$n and str:tokenize('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '')[$n &gt; . or true()]">
      <xsl:call-template name="level">
        <xsl:with-param name="n" select="$n - 1"/>
      </xsl:call-template>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
