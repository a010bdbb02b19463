<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output encoding="iso-8859-1" cdata-section-elements="c" indent="no"/>
<xsl:template match="/"><o><xsl:text disable-output-escaping="yes">&lt;b/>&#8364;&#233;</xsl:text><xsl:apply-templates select="//t"/></o></xsl:template>
<xsl:template match="t"><x><xsl:value-of select="." disable-output-escaping="yes"/></x><c><xsl:value-of select="."/><xsl:value-of select="." disable-output-escaping="yes"/></c></xsl:template>
</xsl:stylesheet>
