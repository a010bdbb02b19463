<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- 16.2: white space is added only where it "does not change how an HTML user agent would render the output": not in drawings and
       formulas, nor between elements that the user agent does not know or that stand between words -->
  <xsl:output method="html"/>
  <xsl:template match="/">
    <html><body><ul><li>1</li><li>2</li></ul><p><nobr>a</nobr><nobr>b</nobr><x-y>c</x-y><x-y>d</x-y></p>
      <svg xmlns="http://www.w3.org/2000/svg"><text><tspan>a</tspan><tspan>b</tspan></text></svg>
      <svg><text><tspan>a</tspan><tspan><xsl:value-of select="'b'"/></tspan></text></svg>
      <picture><source/><source/><img/></picture><map><area/><area/></map>
      <xsl:copy-of select="*"/>
    </body></html>
  </xsl:template>
</xsl:stylesheet>
