<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- what is copied is indented like what is written, and not where words stand beside it or xml:space says so -->
<xsl:output indent="yes"/>
<xsl:template match="/">
  <out><xsl:copy-of select="d"/><deeper><xsl:copy-of select="d/i"/></deeper><words><xsl:copy-of select="d/i"/>t</words></out>
</xsl:template>
</xsl:stylesheet>
