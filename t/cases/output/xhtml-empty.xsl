<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:h="http://www.w3.org/1999/xhtml">
  <!-- 16.1: the output is an XML document whose tree is the result tree; <p/> and <p></p> are the same element. XHTML 1.0, C.2 and C.3: who
       sends it as text/html must not write <p/>, which HTML's parsers take for a start tag, nor <br></br>, which they take for two -->
  <xsl:output method="xml" omit-xml-declaration="yes" encoding="UTF-8"/>
  <xsl:template match="/">
    <r>
      <html xmlns="http://www.w3.org/1999/xhtml"><script src="a.js"/><p class="{/r/@c}"/><br/><textarea> </textarea>
        <xsl:element name="div"/><xsl:element name="hr"/><svg xmlns="http://www.w3.org/2000/svg"><g/></svg></html>
      <h:td/><h:img/><td/>
      <xsl:copy-of select="/r/node()"/>
      <xsl:for-each select="//h:a"><xsl:copy/></xsl:for-each>
    </r>
  </xsl:template>
</xsl:stylesheet>
