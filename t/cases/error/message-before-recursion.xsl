<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- a message that ends the transformation is what is told, not the recursion that it stands before -->
<xsl:param name="n" select="-1"/>
<xsl:template match="/"><o>
<xsl:message>first</xsl:message>
<xsl:if test="$n &lt; 0"><xsl:message terminate="yes">n must not be negative</xsl:message></xsl:if>
<xsl:call-template name="count"><xsl:with-param name="n" select="$n"/></xsl:call-template></o></xsl:template>
<xsl:template name="count"><xsl:param name="n"/><xsl:if test="$n != 0"><xsl:call-template name="count"><xsl:with-param name="n" select="$n - 1"/></xsl:call-template></xsl:if></xsl:template>
</xsl:stylesheet>
