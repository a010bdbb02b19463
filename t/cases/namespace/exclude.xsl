<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:e="urn:e" xmlns:k="urn:k" exclude-result-prefixes="e">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><i xsl:exclude-result-prefixes="m" xmlns:m="urn:m"/></o></xsl:template>
</xsl:stylesheet>
