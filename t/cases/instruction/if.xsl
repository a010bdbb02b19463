<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:for-each select="r/i"><xsl:if test="@n &gt; 1"><b><xsl:value-of select="."/></b></xsl:if><xsl:if test="false()">never</xsl:if></xsl:for-each></o></xsl:template>

</xsl:stylesheet>
