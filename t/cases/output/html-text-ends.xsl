<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" indent="no" encoding="UTF-8"/>
<xsl:template match="/"><body><title><xsl:copy-of select="/r/comment()"/></title><script><xsl:value-of select="/r/s"/></script><script>a&lt;<xsl:value-of select="/r/t"/><xsl:copy-of select="/r/comment()"/></script>
<style>x&lt;/styl<xsl:value-of select="'e>'"/></style><script>'&lt;/span>'&lt;/scr<xsl:text>ipt></xsl:text></script><xsl:copy-of select="/r/processing-instruction()"/>
<textarea><xsl:copy-of select="/r/comment()"/></textarea><p><xsl:copy-of select="/r/comment()"/><xsl:comment>-</xsl:comment><xsl:comment>--&gt;x</xsl:comment><xsl:comment>a--!&gt;b</xsl:comment><xsl:comment/></p>
<xsl:value-of select="/r/u"/></body></xsl:template></xsl:stylesheet>
