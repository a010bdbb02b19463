<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- RFC 3986, 5.2.2: "file:" before a relative path may be ignored -->
  <xsl:import href="file:imported-file-relative.inc"/>
</xsl:stylesheet>
