<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:date="http://exslt.org/dates-and-times">
<xsl:output method="text"/>
<xsl:strip-space elements="*"/>
<xsl:template match="f">[<xsl:value-of select="date:format-date(@d, @p)"/>]
</xsl:template>
<xsl:template match="p">[<xsl:value-of select="date:parse-date(@s, @p)"/>]
</xsl:template>
</xsl:stylesheet>
