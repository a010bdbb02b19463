<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" indent="no"/>
<xsl:template match="/"><html><meta http-equiv="Content-Type" content="text/html"/><head><meta http-equiv="content-type" content="x"/><xsl:apply-templates/></head><body><xsl:apply-templates/></body></html></xsl:template>
<xsl:template match="r"><meta http-equiv="Content-Type" content="y"/><meta http-equiv="refresh" content="1"/></xsl:template>
</xsl:stylesheet>
