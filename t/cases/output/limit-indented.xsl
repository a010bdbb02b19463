<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings" exclude-result-prefixes="str">
  <xsl:output indent="yes"/>
  <!-- the buffer is full, and its bytes are more than the result may have; then text comes beside elements that were indented -->
  <xsl:template match="/"><o><b/><a x="{str:padding(40000, 'x')}"/><a x="{str:padding(40000, 'x')}"/>text</o></xsl:template>
</xsl:stylesheet>
