<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- xsl:with-param is evaluated by the call: what its content has to say is met where the template has no such parameter -->
<xsl:template match="/"><o><xsl:call-template name="t">
  <xsl:with-param name="unknown"><xsl:if test="true()"><xsl:message terminate="yes">stop</xsl:message></xsl:if></xsl:with-param>
</xsl:call-template></o></xsl:template>
<xsl:template name="t"><xsl:param name="known"/>t</xsl:template>
</xsl:stylesheet>
