<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:a="urn:a" xmlns:b="urn:a">
<!-- two xsl:with-params of one name are no error in XSLT 1.0, and the last one counts, as in xsltproc and Xalan -->
<xsl:output method="text"/>
<xsl:template match="/">
<xsl:call-template name="t">
  <xsl:with-param name="p">first</xsl:with-param>
  <xsl:with-param name="q" select="1"/>
  <xsl:with-param name="p">last</xsl:with-param>
</xsl:call-template>
<xsl:apply-templates select="*">
  <xsl:with-param name="a:p" select="'first'"/>
  <xsl:with-param name="b:p" select="'last'"/>
</xsl:apply-templates>
</xsl:template>
<xsl:template name="t"><xsl:param name="p"/><xsl:param name="q"/>[<xsl:value-of select="concat($p, ' ', $q)"/>]</xsl:template>
<xsl:template match="*"><xsl:param name="a:p"/>[<xsl:value-of select="$a:p"/>]</xsl:template>
</xsl:stylesheet>
