<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- the greatest value -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="//value[not(. &lt; //value)][1]"/>
</xsl:template>
</xsl:stylesheet>
