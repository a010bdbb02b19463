<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" indent="no" doctype-system="about:legacy-compat"/>
<xsl:template match="/"><html><body>x</body></html></xsl:template>

</xsl:stylesheet>
