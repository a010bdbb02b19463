<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:date="http://exslt.org/dates-and-times">
<xsl:output method="text"/>
<xsl:variable name="global" select="date:date-time()"/>
<xsl:template match="/">
<xsl:variable name="shape" select="translate($global, '123456789-', '000000000+')"/>
form <xsl:value-of select="$shape = '0000+00+00T00:00:00Z' or $shape = '0000+00+00T00:00:00+00:00'"/>
this century <xsl:value-of select="date:year() >= 2026 and date:seconds() > 1.7 * 1000000000"/>
<xsl:variable name="others"><xsl:for-each select="//n"><xsl:if test="date:date-time() != $global">x</xsl:if></xsl:for-each></xsl:variable>
one value <xsl:value-of select="count(//n[date:date-time() = $global]) = count(//n) and $others = ''"/>
date, time <xsl:value-of select="concat(date:date(), 'T', date:time()) = concat(date:date($global), 'T', date:time($global)) and starts-with($global, substring(date:date(), 1, 10))"/>
numbers <xsl:value-of select="concat(date:year(), date:month-in-year(), date:week-in-year(), date:week-in-month(), date:day-in-year(), date:day-in-month(), date:day-of-week-in-month(), date:day-in-week(), date:hour-in-day(), date:minute-in-hour(), date:second-in-minute(), date:seconds())
  = concat(date:year($global), date:month-in-year($global), date:week-in-year($global), date:week-in-month($global), date:day-in-year($global), date:day-in-month($global), date:day-of-week-in-month($global), date:day-in-week($global), date:hour-in-day($global), date:minute-in-hour($global), date:second-in-minute($global), date:seconds($global))"/>
names <xsl:value-of select="concat(date:month-name(), date:month-abbreviation(), date:day-name(), date:day-abbreviation(), date:leap-year())
  = concat(date:month-name($global), date:month-abbreviation($global), date:day-name($global), date:day-abbreviation($global), date:leap-year($global))"/>
duration <xsl:value-of select="date:duration() = date:duration(date:seconds($global)) and starts-with(date:duration(), 'P')"/>
</xsl:template></xsl:stylesheet>
