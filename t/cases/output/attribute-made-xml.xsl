<!-- attribute-made.xsl's as XML, with white space between elements and an encoding that lacks a character -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:import href="attribute-made.xsl"/>
  <xsl:output method="xml" indent="yes" encoding="US-ASCII"/>
</xsl:stylesheet>
