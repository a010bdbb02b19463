<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:strip-space elements="*"/><xsl:preserve-space elements="b"/>
<xsl:template match="/"><xsl:copy-of select="/"/></xsl:template>

</xsl:stylesheet>
