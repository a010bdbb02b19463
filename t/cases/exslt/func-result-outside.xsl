<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:func="http://exslt.org/functions" xmlns:my="urn:my" extension-element-prefixes="func" exclude-result-prefixes="my">
<xsl:output omit-xml-declaration="yes"/>
<xsl:template match="/"><func:result select="1"/></xsl:template>
</xsl:stylesheet>
