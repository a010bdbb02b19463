<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:attribute-set name="s"><xsl:attribute name="a">1</xsl:attribute><xsl:attribute name="b">1</xsl:attribute></xsl:attribute-set><xsl:attribute-set name="s"><xsl:attribute name="b">2</xsl:attribute></xsl:attribute-set><xsl:template match="/"><o xsl:use-attribute-sets="s"/></xsl:template>

</xsl:stylesheet>
