<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- the same of an error, where built-in rules, which have no parameters, are applied -->
<xsl:template match="/"><o><xsl:apply-templates><xsl:with-param name="p"><xsl:call-template name="nowhere"/></xsl:with-param></xsl:apply-templates></o></xsl:template>
</xsl:stylesheet>
