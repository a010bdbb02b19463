<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:variable name="a" select="$b + 1"/><xsl:variable name="b" select="count(//i)"/><xsl:variable name="c"><xsl:value-of select="$a * $b"/></xsl:variable><xsl:template match="/"><o><xsl:value-of select="$c"/></o></xsl:template>

</xsl:stylesheet>
