<!-- XSLT 5.6: "It is an error if xsl:apply-imports is instantiated when the current template rule is null" -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="/"><o><xsl:for-each select="*"><xsl:call-template name="t"/></xsl:for-each></o></xsl:template>
<xsl:template name="t"><xsl:apply-imports/></xsl:template>
</xsl:stylesheet>
