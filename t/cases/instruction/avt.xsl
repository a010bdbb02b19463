<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o a="{1+1}-{{x}}-{r/i[@k='a']}" b="{concat('{','}')}" c="" d="{'&quot;'}"/></xsl:template>

</xsl:stylesheet>
