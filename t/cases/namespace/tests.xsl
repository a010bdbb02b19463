<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:d="urn:d" xmlns:pp="urn:p" xmlns:q="urn:q" exclude-result-prefixes="d pp q">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="count(//a)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//d:a)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//pp:*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//d:*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//b)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//q:c)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="//@pp:x"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="//pp:a/@x"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//@pp:*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//*)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(//@*)"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
