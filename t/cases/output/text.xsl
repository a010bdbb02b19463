<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/"><o>a&lt;&amp;<b>c</b></o><xsl:comment>x</xsl:comment></xsl:template>

</xsl:stylesheet>
