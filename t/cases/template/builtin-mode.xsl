<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates mode="m"/></o></xsl:template>
<xsl:template match="t" mode="m">[<xsl:apply-templates mode="m"/>]</xsl:template>
<xsl:template match="t">wrong</xsl:template>

</xsl:stylesheet>
