<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:key name="x" match="i" use="@x"/>
  <xsl:template match="/"><xsl:value-of select="count(key(concat('x', 'y'), 1))"/></xsl:template>
</xsl:stylesheet>
