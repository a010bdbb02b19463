<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/doc"><xsl:for-each select="h">
<xsl:variable name="next" select="following-sibling::h[1]"/>
<xsl:value-of select="position()"/>:<xsl:for-each select="following-sibling::p[count(. | $next/preceding-sibling::*) = count($next/preceding-sibling::*)]"><xsl:value-of select="."/>,</xsl:for-each>
<xsl:value-of select="count(preceding-sibling::*[. = current()/following-sibling::*[1] or position() > count($next/following-sibling::*)])"/>;
</xsl:for-each></xsl:template>

</xsl:stylesheet>
