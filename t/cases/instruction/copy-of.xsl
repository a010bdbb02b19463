<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:copy-of select="r/i[2]/@*"/><xsl:copy-of select="r/i[1]|r/s"/><xsl:copy-of select="1+1"/><xsl:copy-of select="'str'"/></o></xsl:template>

</xsl:stylesheet>
