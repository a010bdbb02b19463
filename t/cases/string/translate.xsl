<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="translate('bar','abc','ABC')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="translate('--aaa--','abc-','ABC')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="translate('abc','','x')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="translate('aab','aa','xy')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="translate('äbc','ä','a')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="translate('abc','abc','äöü')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="translate('abc','ab','xyz')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
