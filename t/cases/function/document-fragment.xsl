<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- 12.1: the media type of XML says what a fragment identifier is (RFC 7303, 5): an ID, or element() -->
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:value-of select="document('document-fragment.xml#two')/@n"/>,<xsl:text/>
    <xsl:value-of select="document('document-fragment.xml#element(two)')/@n"/>,<xsl:text/>
    <xsl:value-of select="document('document-fragment.xml#element(/1/2)')/@n"/>,<xsl:text/>
    <xsl:value-of select="document('document-fragment.xml#element(two/1)')/@n"/>,<xsl:text/>
    <xsl:value-of select="count(document('document-fragment.xml#none'))"/>,<xsl:text/>
    <xsl:value-of select="count(document('document-fragment.xml#element(/1/9)'))"/>,<xsl:text/>
    <xsl:value-of select="count(document('document-fragment.xml#xpointer(//p)'))"/>,<xsl:text/>
    <xsl:value-of select="count(document('document-fragment.xml', /nothing))"/>
  </xsl:template>
</xsl:stylesheet>
