<xsl:stylesheet version="9.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:new-thing/><new-thing><xsl:value-of select="a ! b"/></new-thing><xsl:template match="/"><o><xsl:if test="false()"><xsl:iterate select="i"/></xsl:if><xsl:unknown><xsl:fallback>f</xsl:fallback></xsl:unknown></o></xsl:template>

</xsl:stylesheet>
