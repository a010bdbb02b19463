<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:variable name="d" select="document('data.inc')"/><xsl:template match="/"><o><xsl:value-of select="$d/m/x[1]"/>,<xsl:value-of select="count(document('data.inc')//x | $d//x)"/>,<xsl:for-each select="$d/m/x"><xsl:value-of select="."/></xsl:for-each>,<xsl:value-of select="count(document('')/*/*)"/>,<xsl:value-of select="document('data.inc')/m/x[. = current()/r/i]"/></o></xsl:template>

</xsl:stylesheet>
