<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes" indent="yes"/>
<xsl:template match="/"><o><a><b/></a><c>t</c><d>x<e/></d></o></xsl:template>

</xsl:stylesheet>
