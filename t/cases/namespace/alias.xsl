<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:a="urn:alias">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:namespace-alias stylesheet-prefix="a" result-prefix="xsl"/><xsl:template match="/"><a:stylesheet version="1.0"><a:template match="/"/></a:stylesheet></xsl:template>
</xsl:stylesheet>
