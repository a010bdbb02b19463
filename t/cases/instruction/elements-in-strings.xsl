<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output omit-xml-declaration="yes"/>
<!-- of elements in attributes, comments and processing instructions the text counts; comments and attributes there do not -->
<xsl:template match="/">
<o><xsl:attribute name="a">1<xsl:copy-of select="//b"/><e>z<xsl:comment>n</xsl:comment></e><xsl:processing-instruction name="q">n</xsl:processing-instruction></xsl:attribute>
<xsl:comment>1<xsl:copy-of select="//b"/><e f="{1}">z<g/></e><xsl:copy-of select="/"/><xsl:apply-templates/></xsl:comment>
<xsl:processing-instruction name="p">1<xsl:copy-of select="//b"/><e>z</e><xsl:element name="{name(/*)}">u</xsl:element></xsl:processing-instruction>
<xsl:variable name="v"><x><xsl:attribute name="b"><i>I<j>J</j></i>k</xsl:attribute></x></xsl:variable>
<xsl:copy-of select="$v"/><xsl:value-of select="$v"/></o>
</xsl:template>
<xsl:template match="b"><w x="1"><xsl:apply-templates/></w></xsl:template>
<xsl:template match="r"><xsl:copy><xsl:apply-templates/></xsl:copy></xsl:template>
</xsl:stylesheet>
