<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html"/>
<!-- div:empty is one that has no line break inside -->
<xsl:template match="/"><html><xsl:for-each select="r/i"><div><p><xsl:apply-templates select="none"/></p><p><xsl:if test="@k = 'a'"><ul><xsl:variable name="v" select="1"/></ul></xsl:if></p><p class="{@k}"></p></div></xsl:for-each></html></xsl:template>
</xsl:stylesheet>
