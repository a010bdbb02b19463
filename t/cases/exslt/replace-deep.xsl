<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings">
<xsl:output method="text"/>
<xsl:template match="/"><xsl:call-template name="down"><xsl:with-param name="n" select="400"/></xsl:call-template></xsl:template>
<!-- more calls one after another than there may be documents: strings where strings are wanted make none -->
<xsl:template name="down"><xsl:param name="n"/><xsl:if test="$n > 0"><xsl:if test="$n mod 100 = 0"><xsl:value-of select="str:replace($n, 0, 'o')"/></xsl:if><xsl:value-of select="substring-before(str:replace(concat('x', $n), 'x', ''), '99')"/><xsl:call-template name="down"><xsl:with-param name="n" select="$n - 1"/></xsl:call-template></xsl:if></xsl:template>
</xsl:stylesheet>
