<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates select="/r/i[1]/ancestor::node()" mode="m"/></o></xsl:template>
<xsl:template match="/" mode="m">root </xsl:template>
<xsl:template match="r" mode="m">r </xsl:template>

</xsl:stylesheet>
