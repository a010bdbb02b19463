<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- a message that terminates is met in the content of a global variable, also where only its string is wanted -->
<xsl:param name="needed"><xsl:message terminate="yes">the parameter needed is missing</xsl:message></xsl:param>
<xsl:template match="/"><o><xsl:value-of select="$needed"/></o></xsl:template>
</xsl:stylesheet>
