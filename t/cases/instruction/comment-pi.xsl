<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:comment>a <xsl:value-of select="r/i[1]"/></xsl:comment><xsl:processing-instruction name="go">x="1" <xsl:value-of select="r/i[3]"/></xsl:processing-instruction></o></xsl:template>

</xsl:stylesheet>
