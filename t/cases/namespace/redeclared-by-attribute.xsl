<!-- An attribute gives the prefix n another meaning for what is inside, wherever that comes from -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:n="urn:n">
  <xsl:template match="/">
    <n:g><ex><xsl:attribute name="n:z" namespace="urn:q"/><xsl:call-template name="t"/></ex></n:g>
    <n:g><xsl:element name="ex"><xsl:attribute name="n:z" namespace="urn:q"/><xsl:apply-templates/></xsl:element></n:g>
    <n:g><xsl:element name="ex"><xsl:attribute name="n:z" namespace="urn:n"/><xsl:call-template name="t"/></xsl:element></n:g>
    <n:g><xsl:copy-of select="/.."/><xsl:attribute name="n:z" namespace="urn:q"/><xsl:for-each select="*"><n:h>2</n:h></xsl:for-each></n:g>
  </xsl:template>
  <xsl:template match="*"><n:h n:k=""/></xsl:template>
  <xsl:template name="t"><n:h>1</n:h></xsl:template>
</xsl:stylesheet>
