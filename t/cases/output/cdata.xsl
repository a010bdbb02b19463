<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes" cdata-section-elements="c"/>
<xsl:template match="/"><o><c>a&lt;b]]&gt;c</c><d>a&lt;b</d></o></xsl:template>

</xsl:stylesheet>
