<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output doctype-system="a&quot;b'c"/>
<xsl:template match="/"><o/></xsl:template>
</xsl:stylesheet>
