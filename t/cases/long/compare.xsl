<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- many nodes beside one string; arithmetic and comparisons of many numbers -->
<xsl:output omit-xml-declaration="yes"/>
<xsl:template match="/"><out many="{count(/r/g/i/../../g/i)}">
<!-- each of the numbers' rows once for each g: more than are compared one by one -->
<xsl:for-each select="r/g"><g n="{@n}" s="{count(../g/i[. = '7'])}" k="{count(../g/i[@k = 'x'])}" b="{count(../g/i[../@n = 'b'])}" none="{count(../g/i[. = ''])}"
  not="{count(../g/i[. != '7'])}" some="{count(../g/i[../i = '7'])}" mod="{count(../g/i[position() mod 7 = 3])}" minus="{sum(../g/i[(position() - 200) mod -7 = -3])}"
  nan="{count(../g/i[@j mod 2 = 1])}" real="{count(../g/i[. div 3 mod 1.5 &lt; .2])}" ne="{count(../g/i[number(@j) != 3])}" ge="{count(../g/i[last() div 2 &gt;= position()])}"
  zero="{count(../g/i[1 div (-position() mod 2) = -1 div 0])}"/></xsl:for-each>
</out></xsl:template>
</xsl:stylesheet>
