<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output indent="no"/>
<xsl:template match="/"><HTML><body><br/></body></HTML></xsl:template>

</xsl:stylesheet>
