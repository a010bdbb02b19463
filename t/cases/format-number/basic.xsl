<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="format-number(1234.567,'#,##0.00')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(0.6,'0')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(12,'000')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(1234567,'#,###')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(0,'0.##')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(-5,'0')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(0.256,'0%')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(0.0256,'0.0‰')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(5,'$0.00')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(1.5,'0.###')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(1000000,'#')"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="format-number(123456789,'#,####')"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
