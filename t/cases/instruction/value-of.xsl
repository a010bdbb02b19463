<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o a="{r/i[2]}"><xsl:value-of select="r/i"/>|<xsl:value-of select="r/z"/>|<xsl:value-of select="count(//i)*2"/>|<xsl:value-of select="r/s"/></o></xsl:template>

</xsl:stylesheet>
