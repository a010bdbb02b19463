<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="lib.inc"/>
<xsl:output method="xml" omit-xml-declaration="yes"/><xsl:variable name="v" select="'main'"/><xsl:template match="/"><o><xsl:apply-templates select="r/i[1]|//t"/>,<xsl:value-of select="$v"/>,<xsl:call-template name="n"/></o></xsl:template>
<xsl:template match="*">star </xsl:template>

</xsl:stylesheet>
