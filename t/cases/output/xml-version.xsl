<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- XSLT 16.1: a version that is not supported is not written. 4.0 is HTML's, and no parser of XML reads it. -->
<xsl:output method="xml" version="4.0"/>
<xsl:template match="/"><o/></xsl:template>
</xsl:stylesheet>
