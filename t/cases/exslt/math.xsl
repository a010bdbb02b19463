<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:math="http://exslt.org/math" exclude-result-prefixes="math">
<xsl:output method="text"/>
<xsl:template match="/">
<xsl:variable name="n" select="r/n"/>
min <xsl:value-of select="math:min($n)"/>
max <xsl:value-of select="math:max($n)"/>
of none <xsl:value-of select="concat(math:min(/..), math:max(/..), count(math:highest(/..)))"/>
with a word <xsl:value-of select="concat(math:min(//g/n), math:max(//n), count(math:lowest(//g/n)))"/>
highest <xsl:for-each select="math:highest($n)"><xsl:value-of select="@id"/></xsl:for-each>
lowest <xsl:for-each select="math:lowest($n)"><xsl:value-of select="@id"/></xsl:for-each>
abs <xsl:for-each select="$n"><xsl:value-of select="math:abs(.)"/>,</xsl:for-each>
abs of a word <xsl:value-of select="math:abs('x')"/>
sqrt <xsl:value-of select="concat(math:sqrt(16), ' ', math:sqrt(2), ' ', math:sqrt(-1))"/>
constant <xsl:value-of select="concat(math:constant('PI', 4), ' ', math:constant('E', 10), ' ', math:constant('LN2', 3), ' ', math:constant('PI', 99), ' ', math:constant('X', 4), ' ', math:constant('PI', 0))"/>
power <xsl:value-of select="concat(math:power(2, 10), ' ', math:power(2, -1), ' ', math:power(0, 0))"/>
exp log <xsl:value-of select="concat(math:exp(0), ' ', math:log(1), ' ', math:log(-1), ' ', format-number(math:log(10), '0.000000'), ' ', format-number(math:exp(1), '0.000000'))"/>
sin cos tan <xsl:value-of select="concat(math:sin(0), ' ', math:cos(0), ' ', math:tan(0))"/>
inverse <xsl:value-of select="concat(math:asin(0), ' ', math:acos(1), ' ', math:atan(0), ' ', format-number(math:atan2(1, -1), '0.0000'), ' ', math:asin(2))"/>
rows <xsl:for-each select="$n"><xsl:value-of select="math:power(., 2)"/>,</xsl:for-each>
random <xsl:value-of select="math:random() >= 0 and math:random() &lt; 1"/>
each its own <xsl:value-of select="count(//n[math:random() = -1])"/>
</xsl:template></xsl:stylesheet>
