<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- 16.2: the meta element says the encoding that is used: a charset in media-type is not a second one -->
  <xsl:output method="html" indent="no" media-type=" application/x-test; charset=latin1;level=&quot;1&quot;; Charset=x"/>
  <xsl:template match="/"><html><head/></html></xsl:template>
</xsl:stylesheet>
