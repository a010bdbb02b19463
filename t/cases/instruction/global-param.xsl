<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:param name="p" select="'default'"/><xsl:param name="q">tree</xsl:param><xsl:param name="s"/><xsl:template match="/"><o><xsl:value-of select="$p"/>,<xsl:value-of select="$q"/>,<xsl:value-of select="$s"/></o></xsl:template>

</xsl:stylesheet>
