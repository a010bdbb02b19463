<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:for-each select="//c[1]"><xsl:number value="1" format="01"/>,<xsl:number value="28" format="a"/>,<xsl:number value="702" format="A"/>,<xsl:number value="703" format="A"/>,<xsl:number value="1994" format="I"/>,<xsl:number value="12" format="(1)"/>,<xsl:number value="5" format="001"/>;</xsl:for-each></o></xsl:template>

</xsl:stylesheet>
