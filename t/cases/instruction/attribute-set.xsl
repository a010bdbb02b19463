<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:attribute-set name="base"><xsl:attribute name="a">1</xsl:attribute><xsl:attribute name="b">1</xsl:attribute></xsl:attribute-set><xsl:attribute-set name="more" use-attribute-sets="base"><xsl:attribute name="b">2</xsl:attribute><xsl:attribute name="c"><xsl:value-of select="name()"/></xsl:attribute></xsl:attribute-set><xsl:template match="/"><xsl:apply-templates select="r/s"/></xsl:template>
<xsl:template match="s"><o><x xsl:use-attribute-sets="more" c="lit"/><xsl:element name="y" use-attribute-sets="base"><xsl:attribute name="a">own</xsl:attribute></xsl:element><xsl:copy use-attribute-sets="more"/></o></xsl:template>

</xsl:stylesheet>
