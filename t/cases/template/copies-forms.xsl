<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:d="urn:d" xmlns:q="urn:q" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="d q exsl">
<!-- the template's other forms, each in a mode of its own, and one that goes on in another mode -->
<xsl:template match="/"><o><one><xsl:apply-templates mode="one"/></one><two><xsl:apply-templates mode="two"/></two><three><xsl:apply-templates mode="three"/></three
><four><xsl:apply-templates mode="four"/></four><five><xsl:apply-templates mode="five"/></five><six><xsl:apply-templates mode="six"/></six></o></xsl:template>
<xsl:template match="*" mode="one"><xsl:copy><xsl:apply-templates select="@*" mode="one"/><xsl:apply-templates mode="one"/></xsl:copy></xsl:template>
<xsl:template match="*" mode="two"><xsl:copy><xsl:copy-of select="@*"/><xsl:apply-templates mode="two"/></xsl:copy></xsl:template>
<xsl:template match="@n" mode="two">never seen</xsl:template>
<xsl:template match="comment()|processing-instruction()" mode="two"><xsl:copy/></xsl:template>
<xsl:template match="*|@*" mode="three"><xsl:copy><xsl:apply-templates select="node()|@*" mode="three"/></xsl:copy></xsl:template>
<xsl:template match="d:note" mode="three" priority="2"/>
<xsl:template match="@*|node()" mode="four"><xsl:copy><xsl:apply-templates select="@*|node()" mode="three"/></xsl:copy></xsl:template>
<!-- children before attributes: they come too late, and are ignored -->
<xsl:template match="@*|node()" mode="five"><xsl:copy><xsl:apply-templates select="node()" mode="five"/><xsl:apply-templates select="@*" mode="five"/></xsl:copy></xsl:template>
<!-- neither attributes nor comments -->
<xsl:template match="*|text()" mode="six"><xsl:copy><xsl:apply-templates mode="six"/></xsl:copy></xsl:template>
<xsl:template match="q:*" mode="six"><xsl:copy><xsl:apply-templates select="@*|*" mode="six"/></xsl:copy></xsl:template>
</xsl:stylesheet>
