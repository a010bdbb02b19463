<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- sums of long rows: the numbers are added in document order on every team -->
<xsl:output omit-xml-declaration="yes"/>
<xsl:template match="/"><out all="{sum(//i)}" none="{sum(//nobody)}" nan="{sum(//i | //s)}">
<xsl:for-each select="r/g"><g n="{@n}" s="{sum(i)}" x="{sum(i[@k = 'x'])}" f="{format-number(sum(i[@j]) div (count(i[@j]) + 1), '0.0000')}" c="{sum(//g[@n = 'b']/i)}"/></xsl:for-each>
</out></xsl:template>
</xsl:stylesheet>
