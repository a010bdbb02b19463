<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:date="http://exslt.org/dates-and-times">
<xsl:output method="text"/>
<xsl:strip-space elements="*"/>
<xsl:template match="add">[<xsl:value-of select="date:add(@d, @by)"/>]
</xsl:template>
<xsl:template match="difference">[<xsl:value-of select="date:difference(@a, @b)"/>]
</xsl:template>
<xsl:template match="plus">[<xsl:value-of select="date:add-duration(@a, @b)"/>]
</xsl:template>
<xsl:template match="duration">[<xsl:value-of select="date:duration(@n)"/>] <xsl:value-of select="date:seconds(date:duration(@n))"/><xsl:text>
</xsl:text></xsl:template>
<xsl:template match="sum">[<xsl:value-of select="date:sum(u)"/>]
</xsl:template>
</xsl:stylesheet>
