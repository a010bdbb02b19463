<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="generate-id(//i[1]) = generate-id(/r/i[1])"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="generate-id(//i[1]) = generate-id(//i[2])"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="generate-id(//zz)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string-length(generate-id()) &gt; 0"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="translate(substring(generate-id(),1,1),'0123456789','') != ''"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="generate-id(//i[1]/@k) = generate-id(//i[1])"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
