<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><o><xsl:element name="p:e" namespace="urn:1"><xsl:element name="f" namespace="urn:2"/><xsl:element name="g"/></xsl:element></o></xsl:template>
</xsl:stylesheet>
