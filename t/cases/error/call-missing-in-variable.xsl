<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- a template that is nowhere is an error also where only the string of what calls it is wanted -->
<xsl:template match="/"><xsl:variable name="v">a<xsl:call-template name="nowhere"/></xsl:variable><o><xsl:value-of select="$v"/></o></xsl:template>
</xsl:stylesheet>
