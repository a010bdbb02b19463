<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:for-each select="//i"><xsl:variable name="v" select="@n"/><xsl:if test="$v &gt; 1"><xsl:variable name="w" select="$v * 2"/><xsl:value-of select="$w"/>;</xsl:if></xsl:for-each></o></xsl:template>

</xsl:stylesheet>
