<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:attribute name="p:k" namespace="urn:1">v</xsl:attribute><xsl:attribute name="k">w</xsl:attribute></o></xsl:template>
</xsl:stylesheet>
