<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- Elements of XHTML by the html method are HTML's, as in XSLT 3.0 and libxslt: 16.2 would have them written as XML, and HTML's parsers
       resolve no &gt; in style sheets and scripts. An inline element still has no line breaks around it; what is in another namespace is XML -->
  <xsl:output method="html" encoding="UTF-8"/>
  <xsl:template match="/">
    <html xmlns="http://www.w3.org/1999/xhtml">
      <head><meta http-equiv="Content-Type" content="text/html; charset=x"/><style>ul &gt; li { content: "&amp;" }</style></head>
      <body>
        <script>if (a &lt; b &amp;&amp; c) <xsl:value-of select="/r/@js"/></script>
        <p><b>x</b><i>y</i><br/><input disabled="disabled" value="&lt;&amp;"/></p>
        <xsl:element name="hr"/><a href="{/r/@u}"/>
        <svg xmlns="http://www.w3.org/2000/svg"><style>a &gt; b</style><g/></svg>
        <xsl:copy-of select="/r/*"/>
      </body>
    </html>
  </xsl:template>
</xsl:stylesheet>
