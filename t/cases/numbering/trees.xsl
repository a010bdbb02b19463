<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings">
<xsl:output method="text"/>
<!-- each row's tokens are a tree of their own: nothing before it counts, in the other trees made with it or in the source -->
<xsl:template match="/">
<xsl:for-each select="str:tokenize('a-b c-d e-f', ' ')">
<xsl:for-each select="str:tokenize(., '-')">
<xsl:value-of select="."/>: <xsl:number level="any"/> <xsl:text> </xsl:text>
<xsl:number level="any" count="token | *"/> <xsl:text> </xsl:text>
<xsl:number level="any" count="token" from="token[. = 'c']"/> <xsl:text> </xsl:text>
<xsl:number level="multiple" count="token[. != 'e']"/><xsl:text>
</xsl:text>
</xsl:for-each>
</xsl:for-each>
</xsl:template>
</xsl:stylesheet>
