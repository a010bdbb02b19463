<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:date="http://exslt.org/dates-and-times">
<xsl:output method="text"/>
<xsl:template match="/"><xsl:for-each select="r/d">
<xsl:value-of select="concat('&#10;', .)"/>
<xsl:text>&#10;year: </xsl:text><xsl:value-of select="date:year(.)"/>
<xsl:text>&#10;leap-year: </xsl:text><xsl:value-of select="date:leap-year(.)"/>
<xsl:text>&#10;month-in-year: </xsl:text><xsl:value-of select="date:month-in-year(.)"/>
<xsl:text>&#10;month-name: </xsl:text><xsl:value-of select="date:month-name(.)"/>
<xsl:text>&#10;month-abbreviation: </xsl:text><xsl:value-of select="date:month-abbreviation(.)"/>
<xsl:text>&#10;week-in-year: </xsl:text><xsl:value-of select="date:week-in-year(.)"/>
<xsl:text>&#10;week-in-month: </xsl:text><xsl:value-of select="date:week-in-month(.)"/>
<xsl:text>&#10;day-in-year: </xsl:text><xsl:value-of select="date:day-in-year(.)"/>
<xsl:text>&#10;day-in-month: </xsl:text><xsl:value-of select="date:day-in-month(.)"/>
<xsl:text>&#10;day-of-week-in-month: </xsl:text><xsl:value-of select="date:day-of-week-in-month(.)"/>
<xsl:text>&#10;day-in-week: </xsl:text><xsl:value-of select="date:day-in-week(.)"/>
<xsl:text>&#10;day-name: </xsl:text><xsl:value-of select="date:day-name(.)"/>
<xsl:text>&#10;day-abbreviation: </xsl:text><xsl:value-of select="date:day-abbreviation(.)"/>
<xsl:text>&#10;hour-in-day: </xsl:text><xsl:value-of select="date:hour-in-day(.)"/>
<xsl:text>&#10;minute-in-hour: </xsl:text><xsl:value-of select="date:minute-in-hour(.)"/>
<xsl:text>&#10;second-in-minute: </xsl:text><xsl:value-of select="date:second-in-minute(.)"/>
<xsl:text>&#10;seconds: </xsl:text><xsl:value-of select="date:seconds(.)"/>
<xsl:text>&#10;date: </xsl:text><xsl:value-of select="date:date(.)"/>
<xsl:text>&#10;time: </xsl:text><xsl:value-of select="date:time(.)"/>
<xsl:text>&#10;</xsl:text></xsl:for-each></xsl:template></xsl:stylesheet>
