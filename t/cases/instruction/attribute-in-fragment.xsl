<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="exsl">
  <!-- The root of a result tree fragment is no element: attributes and namespace nodes added to it are ignored (7.1.3), wherever it is copied. -->
  <xsl:output omit-xml-declaration="yes"/>
  <xsl:attribute-set name="set"><xsl:attribute name="of-set">1</xsl:attribute></xsl:attribute-set>
  <xsl:template name="attributes"><xsl:attribute name="called">1</xsl:attribute><xsl:copy-of select="//@*"/></xsl:template>
  <xsl:variable name="text"><xsl:attribute name="lost">1</xsl:attribute>text</xsl:variable>
  <xsl:variable name="nothing"><xsl:call-template name="attributes"/><xsl:copy-of select="*/namespace::*"/></xsl:variable>
  <xsl:variable name="element"><xsl:attribute name="lost">1</xsl:attribute><e xsl:use-attribute-sets="set"><xsl:call-template name="attributes"/></e><xsl:call-template name="attributes"/></xsl:variable>
  <xsl:variable name="nested"><xsl:copy-of select="$nothing"/><xsl:call-template name="attributes"/><n><xsl:copy-of select="$nothing"/><xsl:attribute name="kept">1</xsl:attribute></n></xsl:variable>
  <xsl:template match="/">
    <out>
      <text><xsl:copy-of select="$text"/></text>
      <nothing><xsl:copy-of select="$nothing"/><xsl:attribute name="kept">1</xsl:attribute></nothing>
      <element><xsl:copy-of select="$element"/></element>
      <nested><xsl:copy-of select="$nested"/></nested>
      <tree><xsl:copy-of select="exsl:node-set($element)"/></tree>
      <value of="{$text}"><xsl:value-of select="$nothing"/></value>
    </out>
  </xsl:template>
</xsl:stylesheet>
