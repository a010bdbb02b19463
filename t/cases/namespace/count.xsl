<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- namespace nodes that are only counted: no other step of the stylesheet is on their axis -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:for-each select="//*"><xsl:value-of select="concat(local-name(), count(namespace::*), ' ', count(namespace::b), ' ', count(../namespace::node()), ';')"/></xsl:for-each>
  <xsl:value-of select="count(//namespace::a)"/>
</xsl:template>
</xsl:stylesheet>
