<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:d="urn:d" xmlns:q="urn:q" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="d q exsl">
<!-- elements, attributes and text that other templates are for; some only where a condition holds -->
<xsl:template match="@*|node()"><xsl:copy><xsl:apply-templates select="@*|node()"/></xsl:copy></xsl:template>
<xsl:template match="d:price"><cost><xsl:apply-templates select="@*|node()"/></cost></xsl:template>
<xsl:template match="@drop"/>
<xsl:template match="@cur"><xsl:attribute name="currency"><xsl:value-of select="."/></xsl:attribute></xsl:template>
<xsl:template match="d:w/text()">(long)</xsl:template>
<xsl:template match="d:item[@n = '1']/d:b">B</xsl:template>
<xsl:template match="comment()[. = 'c']"/>
</xsl:stylesheet>
