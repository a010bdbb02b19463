<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:e="urn:ext" extension-element-prefixes="e">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><e:nothing xmlns:e="urn:ext"><xsl:fallback>fell</xsl:fallback></e:nothing></o></xsl:template>

</xsl:stylesheet>
