<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates select="r/i[1]/node()|r/i[1]/@*|r/s|//processing-instruction()"/></o></xsl:template>
<xsl:template match="node()">N</xsl:template>
<xsl:template match="text()">T</xsl:template>
<xsl:template match="@*">A</xsl:template>
<xsl:template match="@k">K</xsl:template>
<xsl:template match="r/*">S</xsl:template>
<xsl:template match="*">E</xsl:template>
<xsl:template match="processing-instruction()">P</xsl:template>
<xsl:template match="processing-instruction('z')">Z</xsl:template>

</xsl:stylesheet>
