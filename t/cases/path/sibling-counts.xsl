<!-- how many siblings contexts have that come in document order, children between siblings, and in other orders -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:apply-templates select="//node()" mode="counts"/>
  <xsl:text>&#10;</xsl:text>
  <xsl:apply-templates select="//node()|//@*" mode="counts"><xsl:sort select="name()"/></xsl:apply-templates>
  <xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//*">
    <xsl:value-of select="concat(count(preceding-sibling::b), '+', count(following-sibling::b), '/', count(../*/preceding-sibling::*), ' ')"/>
  </xsl:for-each>
  <xsl:text>&#10;</xsl:text>
</xsl:template>
<xsl:template match="node()|@*" mode="counts">
  <xsl:value-of select="concat(name(), count(preceding-sibling::*), '-', count(following-sibling::node()), ' ')"/>
</xsl:template>
</xsl:stylesheet>
