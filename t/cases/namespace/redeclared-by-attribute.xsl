<!-- An attribute, or a copied namespace, gives the prefix n another meaning for what is inside, wherever that comes from -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:n="urn:n">
  <xsl:template match="/">
    <n:g><ex><xsl:attribute name="n:z" namespace="urn:q"/><xsl:call-template name="t"/></ex></n:g>
    <n:g><xsl:element name="ex"><xsl:attribute name="n:z" namespace="urn:q"/><xsl:apply-templates/></xsl:element></n:g>
    <n:g><xsl:element name="ex"><xsl:attribute name="n:z" namespace="urn:n"/><xsl:call-template name="t"/></xsl:element></n:g>
    <n:g><xsl:copy-of select="/.."/><xsl:attribute name="n:z" namespace="urn:q"/><xsl:for-each select="*"><n:h>2</n:h></xsl:for-each></n:g>
    <n:g><xsl:apply-templates mode="set"/></n:g>
    <n:g><e><xsl:copy-of select="$other//namespace::n"/><n:h>3</n:h></e></n:g>
    <n:g><n:e><xsl:copy-of select="$other//namespace::*[name() = '']"/><xsl:call-template name="none"/></n:e></n:g>
  </xsl:template>
  <xsl:attribute-set name="s"><xsl:attribute name="n:z" namespace="urn:q"/></xsl:attribute-set>
  <xsl:template match="*" mode="set"><e xsl:use-attribute-sets="s"><n:h/></e></xsl:template>
  <xsl:template name="none"><h/></xsl:template>
  <xsl:variable name="other" select="document('redeclared-by-attribute.xml')"/>
  <xsl:template match="*"><n:h n:k=""/></xsl:template>
  <xsl:template name="t"><n:h>1</n:h></xsl:template>
</xsl:stylesheet>
