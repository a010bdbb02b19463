<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:variable name="v">a<xsl:call-template name="nowhere"/></xsl:variable>
<xsl:template match="/"><o><xsl:value-of select="$v"/></o></xsl:template>
</xsl:stylesheet>
