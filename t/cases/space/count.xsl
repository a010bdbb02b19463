<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:strip-space elements="r b"/>
<xsl:template match="/"><o><xsl:value-of select="count(//text())"/></o></xsl:template>

</xsl:stylesheet>
