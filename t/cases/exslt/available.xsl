<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" xmlns:set="http://exslt.org/sets" xmlns:math="http://exslt.org/math" xmlns:str="http://exslt.org/strings" xmlns:re="http://exslt.org/regular-expressions" xmlns:date="http://exslt.org/dates-and-times" xmlns:dyn="http://exslt.org/dynamic" extension-element-prefixes="exsl">
<xsl:output method="text"/>
<xsl:template match="/">
<xsl:variable name="there">exsl:node-set exsl:object-type set:difference set:intersection set:distinct set:has-same-node set:leading set:trailing math:min math:max math:highest math:lowest math:abs math:sqrt math:power math:constant math:log math:random math:sin math:cos math:tan math:asin math:acos math:atan math:atan2 math:exp str:tokenize str:split str:replace str:padding str:align str:concat str:encode-uri str:decode-uri re:test re:match re:replace dyn:evaluate dyn:map dyn:closure dyn:min dyn:max dyn:sum date:date-time date:date date:time date:year date:leap-year date:month-in-year date:month-name date:month-abbreviation date:week-in-year date:week-in-month date:day-in-year date:day-in-month date:day-of-week-in-month date:day-in-week date:day-name date:day-abbreviation date:hour-in-day date:minute-in-hour date:second-in-minute date:seconds date:duration date:add date:add-duration date:difference date:sum date:format-date date:parse-date</xsl:variable>
<xsl:variable name="not">exsl:document math:cot set:union str:nothing dyn:leaf re:matches date:now</xsl:variable>
<xsl:for-each select="str:tokenize($there)[not(function-available(.))] | str:tokenize($not)[function-available(.)]"><xsl:value-of select="."/>;</xsl:for-each>
<xsl:value-of select="count(str:tokenize($there))"/>
<xsl:value-of select="concat(element-available('exsl:document'), function-available('str:tokenize'), function-available('dyn:leaf'))"/>
<exsl:document href="x"><xsl:fallback>fallback</xsl:fallback></exsl:document>
</xsl:template></xsl:stylesheet>
