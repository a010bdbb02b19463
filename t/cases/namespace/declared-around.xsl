<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:p">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<!-- the start tag around a template's element is still open when it begins, and declares something else -->
<xsl:template match="/"><p:o><p>
<q xmlns="urn:q"><xsl:call-template name="none"/></q>
<z xmlns:p="urn:q"><xsl:call-template name="p"/></z>
<p:z xmlns:p="urn:q"><xsl:for-each select="*"><xsl:attribute name="k">1</xsl:attribute></xsl:for-each><xsl:call-template name="p"/></p:z>
<z xmlns:p="urn:q"><xsl:apply-templates select="*"/></z>
<xsl:element name="e" namespace="urn:e"><xsl:call-template name="none"/></xsl:element>
</p></p:o></xsl:template>
<xsl:template name="none"><s/></xsl:template>
<xsl:template name="p"><p:s p:a="1"/></xsl:template>
<xsl:template match="*"><xsl:value-of select="''"/><xsl:for-each select=".."><t p:a="1"/></xsl:for-each></xsl:template>

</xsl:stylesheet>
