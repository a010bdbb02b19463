<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:for-each select="//p"><xsl:number level="multiple" count="c|s|p" format="1.1.a"/>;</xsl:for-each></o></xsl:template>

</xsl:stylesheet>
