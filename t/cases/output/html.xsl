<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html"/>
<xsl:template match="/"><html><head><title>t</title></head><body><br/><p/><img src="a b.png" alt="&lt;x>"/><input disabled="disabled"/><script>a &lt; b &amp;&amp; c</script><p title="&amp;{{x}}">a&#160;b</p></body></html></xsl:template>

</xsl:stylesheet>
