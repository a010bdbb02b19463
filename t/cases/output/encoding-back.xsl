<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output encoding="windows-31j"/>
<!-- it has a wide cent sign and a wide tilde, which iconv takes for the ones that it does not have -->
<xsl:template match="/"><o>&#162;&#12316;&#26085;</o></xsl:template>
</xsl:stylesheet>
