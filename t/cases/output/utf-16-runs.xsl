<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- long runs of ASCII between characters of two, three and four bytes, at each distance from 16 -->
<xsl:output encoding="UTF-16"/>
<xsl:template match="/"><o><xsl:text>0123456789abcdefghijklmnopqrstuvwxyz&#228;0123456789abcd&#8364;0123456789abcde&#65536;0123456789abcdef&#228;&#228;0123456789abcdefg</xsl:text></o></xsl:template>
</xsl:stylesheet>
