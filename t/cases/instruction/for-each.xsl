<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:for-each select="//i"><e p="{position()}" l="{last()}"><xsl:value-of select="."/></e></xsl:for-each><xsl:for-each select="//zz">no</xsl:for-each></o></xsl:template>

</xsl:stylesheet>
