<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates select="r/*"/></o></xsl:template>
<xsl:template match="*">-</xsl:template>
<xsl:template match="i[@k='b'][2]">b2</xsl:template>
<xsl:template match="*[4]" priority="1">fourth</xsl:template>

</xsl:stylesheet>
