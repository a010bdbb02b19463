<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:d="urn:d" xmlns:pp="urn:p" xmlns:q="urn:q" exclude-result-prefixes="d pp q">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="name(//pp:a)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="local-name(//pp:a)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="namespace-uri(//pp:a)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="name(/*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="namespace-uri(/*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="namespace-uri(//b)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="name(//q:c)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="namespace-uri(//q:c)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="name(//@pp:x)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="local-name(//@pp:x)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="namespace-uri(//pp:a/@x)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="name(//zz)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="local-name()"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="namespace-uri(//zz)"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
