<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- libxslt refuses a prefix that is not declared, too -->
<xsl:output method="q:x"/>
<xsl:template match="/"><o/></xsl:template>
</xsl:stylesheet>
