<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:d="urn:d" xmlns:pp="urn:p" xmlns:q="urn:q" exclude-result-prefixes="d pp q">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:apply-templates select="//pp:a|//d:a"/></o></xsl:template><xsl:template match="pp:*">P</xsl:template><xsl:template match="d:a">D</xsl:template><xsl:template match="a">none</xsl:template>
</xsl:stylesheet>
