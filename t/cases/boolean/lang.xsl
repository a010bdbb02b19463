<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="count(//*[lang('en')])"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//*[lang('EN-gb')])"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//*[lang('de')])"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//*[lang('fr')])"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="lang('en')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//*[lang('en-GB-x')])"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
