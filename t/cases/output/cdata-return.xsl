<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes" cdata-section-elements="c"/>
<xsl:template match="/"><o><c>a]]&#13;&gt;b&#13;
</c><c><xsl:text>&#13;</xsl:text></c><c><xsl:value-of select="r"/></c></o></xsl:template>
</xsl:stylesheet>
