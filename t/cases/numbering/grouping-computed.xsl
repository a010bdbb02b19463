<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output omit-xml-declaration="yes"/>
<!-- a separator is one character, a size a number; what a computed one has beyond that does not count -->
<xsl:template match="/">
<o><xsl:variable name="s" select="'…,'"/><xsl:number value="1234567" grouping-separator="{$s}" grouping-size="{concat(' 2', name(/*))}"/>;<xsl:number value="1234" grouping-separator="{substring-after($s, ',')}" grouping-size="3"/>;<xsl:number value="1234" grouping-separator="," grouping-size="{name(/*)}"/></o>
</xsl:template>
</xsl:stylesheet>
