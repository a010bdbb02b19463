<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- 16.2: an element with a namespace is written as by the xml method; its empty ones with an end tag where HTML parsers would
       take <x/> for a start tag. B.2.1 of HTML 4: a's name is converted as URIs are -->
  <xsl:output method="html" indent="no" encoding="US-ASCII"/>
  <xsl:template match="/">
    <html><body><svg xmlns="urn:s"><path d="&#233;"/><br/></svg><a name="&#233;" href="#&#233;" title="&#233;"/><a name="{/r}"/><p name="&#233;">x</p></body></html>
  </xsl:template>
</xsl:stylesheet>
