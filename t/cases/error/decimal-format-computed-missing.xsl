<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:decimal-format name="x"/>
  <xsl:template match="/"><xsl:value-of select="format-number(1, '0', concat('x', 'y'))"/></xsl:template>
</xsl:stylesheet>
