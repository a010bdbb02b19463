<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="count(//i[generate-id(.) = generate-id(current())])"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="name(current()/r)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//*[name() = name(current()/r/i)])"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
