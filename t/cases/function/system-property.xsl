<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="number(system-property('xsl:version'))"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string-length(system-property('xsl:vendor')) &gt; 0"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="string-length(system-property('xsl:vendor-url')) &gt; 0"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="system-property('nosuch')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
