<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="a">
  <a> <b/> </a>
  <a xml:space="preserve"> <b xml:space="default"> <c/> </b></a>
  <xsl:text> </xsl:text>
  x<!-- a comment is not there --> y <?nor a PI?><![CDATA[<z>]]>
</xsl:template>
</xsl:stylesheet>
