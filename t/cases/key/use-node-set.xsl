<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:key name="w" match="p" use="w"/><xsl:template match="/"><o><xsl:for-each select="key('w','b')"><xsl:value-of select="@n"/></xsl:for-each></o></xsl:template>

</xsl:stylesheet>
