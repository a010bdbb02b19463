<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- a document type of XHTML: elements without a namespace are meant to be its too (xhtml-empty.xsl) -->
  <xsl:output method="xml" omit-xml-declaration="yes" indent="yes" doctype-public="-//W3C//DTD XHTML 1.0 Strict//EN"
    doctype-system="http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"/>
  <xsl:template match="/">
    <html><head><script src="a.js"/><link href="a.css"/></head><body><xsl:element name="div"/><x xmlns="urn:x"/><xsl:copy-of select="//empty"/></body></html>
  </xsl:template>
</xsl:stylesheet>
