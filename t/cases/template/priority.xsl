<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates select="r/*"/></o></xsl:template>
<xsl:template match="*">star </xsl:template>
<xsl:template match="i">i </xsl:template>
<xsl:template match="i[@n&gt;5]">big </xsl:template>
<xsl:template match="i[@k='b']" priority="-1">low </xsl:template>

</xsl:stylesheet>
