<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o b="0"><xsl:attribute name="a">1<xsl:value-of select="r/i[1]"/></xsl:attribute><xsl:attribute name="b">2</xsl:attribute><xsl:attribute name="{concat('c',3)}"/><x/></o></xsl:template>

</xsl:stylesheet>
