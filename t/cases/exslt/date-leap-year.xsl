<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:date="http://exslt.org/dates-and-times" exclude-result-prefixes="date">
<xsl:variable name="none" select="date:leap-year('x')"/>
<xsl:template match="/">
<r text="{date:leap-year('2000')} {date:leap-year('1900-01-01')} {date:leap-year('x')}" none="{$none}" boolean="{boolean(date:leap-year('x'))}" not="{not(date:leap-year('x'))}" number="{date:leap-year('2000') + 1}">
<xsl:if test="date:leap-year('2000') and not(date:leap-year('10:00:00'))"><xsl:value-of select="date:leap-year('10:00:00')"/></xsl:if>
<xsl:value-of select="concat(' ', date:leap-year(''), ' ', date:leap-year('-0001'))"/>
</r></xsl:template></xsl:stylesheet>
