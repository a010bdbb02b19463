<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates select="//i|//s"/></o></xsl:template>
<xsl:template match="i|s"><xsl:value-of select="name()"/></xsl:template>

</xsl:stylesheet>
