<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="lib.inc"/>
<xsl:output method="xml" omit-xml-declaration="yes"/><xsl:template match="/"><o><xsl:apply-templates select="r/i[1]|//t|r/s"/></o></xsl:template>
<xsl:template match="*">[<xsl:apply-imports/>]</xsl:template>

</xsl:stylesheet>
