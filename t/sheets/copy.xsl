<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- for text and attributes these do nothing and end: inline -->
<xsl:template match="a"><xsl:copy><xsl:apply-templates select="@* | node() | p:a/b//text()" xmlns:p="urn:p"/></xsl:copy></xsl:template>
<xsl:template match="b"><xsl:copy><x y="{z}"/><xsl:apply-templates/><xsl:for-each select="a"><xsl:call-template name="t"/></xsl:for-each></xsl:copy></xsl:template>
<!-- these might not -->
<xsl:template match="c"><xsl:copy><xsl:apply-templates select="."/></xsl:copy></xsl:template>
<xsl:template match="d"><xsl:copy><xsl:apply-templates select="a | /"/></xsl:copy></xsl:template>
<xsl:template match="e"><xsl:copy><xsl:apply-templates select="a[b]"/></xsl:copy></xsl:template>
<xsl:template match="f"><xsl:copy><xsl:apply-templates select="current()"/></xsl:copy></xsl:template>
<xsl:template match="g"><xsl:copy><xsl:apply-templates select="parent::a"/></xsl:copy></xsl:template>
<xsl:template match="h"><xsl:copy><x><xsl:call-template name="t"/></x></xsl:copy></xsl:template>
<xsl:template match="i"><xsl:copy><xsl:apply-templates><xsl:with-param name="p"><xsl:call-template name="t"/></xsl:with-param></xsl:apply-templates></xsl:copy></xsl:template>
<xsl:template match="j"><xsl:copy use-attribute-sets="s"/></xsl:template>
<xsl:template name="t"/>
<xsl:attribute-set name="s"/>
</xsl:stylesheet>
