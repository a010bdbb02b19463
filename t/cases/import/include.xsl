<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:include href="lib.inc"/><xsl:template match="/"><o><xsl:apply-templates select="r/i[1]|//t"/></o></xsl:template>
<xsl:template match="*">star </xsl:template>

</xsl:stylesheet>
