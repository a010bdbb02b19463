<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:for-each select="//p"><xsl:number level="multiple" count="c|s|p" format="[A/1-i]"/>;</xsl:for-each>
<!-- no format token: the string starts with the first token and ends with the last, which is the same -->
<xsl:for-each select="//p[1]"><xsl:number level="multiple" count="c|s|p" format="-"/>;<xsl:number value="3" format="*"/>;<xsl:number value="3" format=""/></xsl:for-each></o></xsl:template>

</xsl:stylesheet>
