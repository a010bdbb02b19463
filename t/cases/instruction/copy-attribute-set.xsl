<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:attribute-set name="s"><xsl:attribute name="n"><xsl:value-of select="name()"/></xsl:attribute></xsl:attribute-set>
<xsl:template match="/"><o><xsl:apply-templates select="." mode="c"/></o></xsl:template>
<xsl:template match="@*|node()|/" mode="c"><xsl:copy use-attribute-sets="s"><xsl:apply-templates select="@*|node()" mode="c"/></xsl:copy></xsl:template>

</xsl:stylesheet>
