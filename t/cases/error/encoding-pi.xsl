<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- 16.1: in a name "the XSLT processor should signal an error" -->
  <xsl:output encoding="US-ASCII"/>
  <xsl:template match="/"><x><xsl:processing-instruction name="é"/></x></xsl:template>
</xsl:stylesheet>
