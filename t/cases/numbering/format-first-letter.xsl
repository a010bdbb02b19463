<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output omit-xml-declaration="yes"/>
<!-- of a token with several characters the first tells the sequence; a format without a token stands before the number -->
<xsl:template match="/">
<o><xsl:number value="28" format="all"/>;<xsl:number value="28" format="ix"/>;<xsl:number value="28" format="I1"/>;<xsl:number value="28" format="bar"/>;<xsl:number value="28" format="."/>;<xsl:number value="28" format="(-"/>;<xsl:number value="28" format="&#xA7; all)"/></o>
</xsl:template>
</xsl:stylesheet>
