<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:p" xmlns:q="urn:p" exclude-result-prefixes="p q">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates select="r/i[1]"/><xsl:apply-templates select="r/i[1]" mode="a"/><xsl:apply-templates select="r/i[1]" mode="q:a"/></o></xsl:template>
<xsl:template match="i">none </xsl:template>
<xsl:template match="i" mode="a">a </xsl:template>
<xsl:template match="i" mode="p:a">qa</xsl:template>

</xsl:stylesheet>
