<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:for-each select="//c[1]"><xsl:number value="1234567" grouping-separator="," grouping-size="3"/>,<xsl:number value="1234567" grouping-separator="." grouping-size="2"/>,<xsl:number value="12" grouping-separator="," grouping-size="3"/>;</xsl:for-each></o></xsl:template>

</xsl:stylesheet>
