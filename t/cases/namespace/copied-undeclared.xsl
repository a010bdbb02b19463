<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:e="http://exslt.org/common" exclude-result-prefixes="e">
<xsl:output omit-xml-declaration="yes"/>
<!-- XSLT 11.3, 7.5: what is copied has the names that it had, also in no namespace inside an element with a prefix -->
<xsl:variable name="copy"><xsl:copy-of select="/*/*"/></xsl:variable>
<xsl:template match="/"><o>
<xsl:copy-of select="/*/*"/>
<names><xsl:for-each select="e:node-set($copy)//*[namespace-uri() = '']"><xsl:value-of select="name()"/>,<xsl:value-of select="count(namespace::*[name() = ''])"/>;</xsl:for-each></names>
<in xmlns="u:in"><xsl:copy-of select="//none"/></in>
<in xmlns="u:in"><xsl:copy-of select="//p:*" xmlns:p="u:p"/></in>
</o></xsl:template>

</xsl:stylesheet>
