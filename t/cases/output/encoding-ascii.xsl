<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- has neither [ ] nor { } -->
<xsl:output encoding="ISO646-DE" cdata-section-elements="c"/>
<xsl:template match="/"><o x="[{{}}]~"><c>{&amp;}</c></o></xsl:template>
</xsl:stylesheet>
