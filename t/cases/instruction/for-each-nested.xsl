<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:for-each select="//i"><xsl:variable name="k" select="@k"/><xsl:for-each select="/r/i[@k=$k]"><xsl:value-of select="@n"/>.</xsl:for-each>;</xsl:for-each></o></xsl:template>

</xsl:stylesheet>
