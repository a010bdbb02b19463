<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output encoding="Shift_JIS"/>
<!-- the byte of the backslash is the yen's, too, and that of the tilde the overline's -->
<xsl:template match="/"><o x="&#165;\~"><xsl:text disable-output-escaping="yes">\&#165;~&#8254;&#26085;</xsl:text></o></xsl:template>
</xsl:stylesheet>
