<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates select="r/i"/></o></xsl:template>
<xsl:template match="i"><xsl:call-template name="f"/></xsl:template>
<xsl:template name="f"><xsl:value-of select="position()"/>/<xsl:value-of select="last()"/>:<xsl:value-of select="@n"/>;</xsl:template>
</xsl:stylesheet>
