<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:for-each select="r/i"><xsl:sort select="@n" data-type="number"/><xsl:value-of select="."/>,</xsl:for-each></o></xsl:template>

</xsl:stylesheet>
