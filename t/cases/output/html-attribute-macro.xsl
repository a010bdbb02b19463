<!-- HTML 4.0, B.7.1: "&{" of a value stays as it is, whatever makes the two characters. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="html" indent="no"/>
  <xsl:template match="/">
    <html><body>
      <p><xsl:attribute name="title">a<xsl:if test="*">&amp;</xsl:if><xsl:text>{b}</xsl:text></xsl:attribute>x</p>
      <p><xsl:attribute name="title">a<xsl:if test="*">&amp;</xsl:if><xsl:text>&amp;</xsl:text></xsl:attribute>x</p>
      <p><xsl:attribute name="title">a&amp;<xsl:if test="*"><xsl:value-of select="'{b}'"/></xsl:if></xsl:attribute>x</p>
      <p><xsl:attribute name="title"><xsl:value-of select="'&amp;'"/><xsl:if test="*">{</xsl:if></xsl:attribute>x</p>
    </body></html>
  </xsl:template>
</xsl:stylesheet>
