<!-- string-length() beside 0 and 1: whether there is anything, which counts no characters -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="//node()">
    <xsl:value-of select="concat(string-length(.) &gt; 0, 0 &lt; string-length(.), string-length(.) != 0, string-length(.) >= 1, 1 &lt;= string-length(), boolean(string-length(.)))"/>
    <xsl:value-of select="concat(' ', string-length(.) = 0, 0 >= string-length(.), string-length(.) &lt;= 0, string-length(.) &lt; 1, 1 > string-length(.), not(string-length(.)))"/>
    <xsl:value-of select="concat(' ', string-length(.) &gt; 1, string-length(.) &lt; 0, string-length(.) = 1, string-length(.) >= 0, 0 = string-length(@none))"/>
    <xsl:text>&#10;</xsl:text>
  </xsl:for-each>
</xsl:template>
</xsl:stylesheet>
