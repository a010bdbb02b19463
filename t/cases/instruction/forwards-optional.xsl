<xsl:stylesheet version="2.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- An optional attribute whose value XSLT 1.0 does not know is ignored (2.5). -->
<xsl:output omit-xml-declaration="yes" indent="true"/>
<xsl:decimal-format decimal-separator=".." grouping-separator="_"/>
<xsl:template match="/">
<o>
<default><xsl:apply-templates select="//i" mode="#default"/></default>
<current><xsl:apply-templates select="//i" mode="#current"/></current>
<other><xsl:apply-templates select="//i" mode="m"/></other>
<sort><xsl:for-each select="//i"><xsl:sort order="up" data-type="any" stable="yes"/><xsl:value-of select="."/></xsl:for-each></sort>
<number><xsl:number value="3" level="all" letter-value="any"/></number>
<format><xsl:value-of select="format-number(1234.5, '#_##0.00')"/></format>
<text><xsl:text disable-output-escaping="true">&lt;</xsl:text></text>
</o>
</xsl:template>
<xsl:template match="i" mode="#all" priority="high">[<xsl:value-of select="."/>]</xsl:template>
<xsl:template match="i[1]" mode="m #default" priority="1">(<xsl:value-of select="."/>)</xsl:template>
</xsl:stylesheet>
