<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><xsl:variable name="v"><a>1</a><b>2</b></xsl:variable><o><xsl:value-of select="$v + 1"/>,<xsl:value-of select="boolean($v)"/>,<xsl:value-of select="string-length($v)"/>,<xsl:value-of select="$v = 12"/>,<xsl:value-of select="concat($v,'x')"/></o></xsl:template>

</xsl:stylesheet>
