<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:attribute name="a">&lt;&amp;&quot;'&#10;&#9;x&#13;</xsl:attribute></o></xsl:template>

</xsl:stylesheet>
