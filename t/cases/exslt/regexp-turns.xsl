<!-- A turn of a repetition forgets the groups of the turn before, and may not be empty where it need not be; what is looked behind for is matched
     backwards, whatever its length (ECMA-262, 22.2.2.3 to 5). The results are Node's. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:regexp="http://exslt.org/regular-expressions">
<xsl:output method="text" encoding="UTF-8"/>
<xsl:template match="/"><xsl:for-each select="r/i"><xsl:value-of select="@p"/>:<xsl:for-each select="regexp:match(@s, @p, @f)"><xsl:value-of select="concat(' (', ., ')')"/></xsl:for-each>
<xsl:value-of select="concat(' ', regexp:replace(@s, @p, @f, '[$1]'), '&#10;')"/></xsl:for-each></xsl:template>
</xsl:stylesheet>
