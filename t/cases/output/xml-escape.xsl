<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o a="&lt;&gt;&amp;&quot;">&lt;&gt;&amp;"'</o></xsl:template>

</xsl:stylesheet>
