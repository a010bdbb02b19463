<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:for-each select="r/*"><xsl:choose><xsl:when test="@n = 10">ten</xsl:when><xsl:when test="@n &gt; 1">more</xsl:when><xsl:otherwise>else</xsl:otherwise></xsl:choose>,<xsl:choose><xsl:when test="@z">z</xsl:when></xsl:choose></xsl:for-each></o></xsl:template>

</xsl:stylesheet>
