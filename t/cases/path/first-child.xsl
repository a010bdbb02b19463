<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- the first child of a name: near, as far as siblings are walked, behind that, behind others that have it deeper, and none -->
<xsl:output omit-xml-declaration="yes"/>
<xsl:template match="/t">
  <o><xsl:apply-templates select="r"/></o>
</xsl:template>
<xsl:template match="r">
  <r a="{x}" b="-{k1}{none}-" last="{../r[last()]/@x}" up="{../none}{../r/@x}">
    <xsl:value-of select="x"/>,<xsl:value-of select="x[2]"/>,<xsl:value-of select="k0/x"/>,<xsl:value-of select="none"/>
    <xsl:text>,</xsl:text><xsl:value-of select="text()"/>,<xsl:value-of select="x | y"/>,<xsl:value-of select="*"/>
    <xsl:if test="x[1] = 'first 13' or x[1][. = 'first 40']">!</xsl:if>
  </r>
</xsl:template>
</xsl:stylesheet>
