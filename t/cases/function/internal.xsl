<!-- What the compiler makes of sums, keys and strings are no functions of XPath: nobody can call them (XPath 3.2), nor are they available (XSLT 15) -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="concat(function-available('beside'), ' ', function-available('error'), ' ', function-available('match-test'), ' ', true() or beside(/, /, 12))"/>
</xsl:template>
</xsl:stylesheet>
