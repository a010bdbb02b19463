<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:d="urn:d" xmlns:pp="urn:p" xmlns:q="urn:q" exclude-result-prefixes="d pp q">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="count(//b/namespace::*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="//b/namespace::p"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(/*/namespace::*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/*/namespace::*[name()='']"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="//q:c/namespace::p"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//q:c/namespace::*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="/*/namespace::xml"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="name(/*/namespace::p/..)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="local-name(//b/namespace::p)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="namespace-uri(//b/namespace::p)"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
