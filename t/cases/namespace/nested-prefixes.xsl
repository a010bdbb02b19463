<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="exsl">
  <xsl:output omit-xml-declaration="yes" indent="yes"/>
  <!-- 500 elements within each other (.args), each of which declares a prefix of its own, and q and the default namespace anew -->
  <xsl:param name="levels" select="20"/>
  <xsl:template name="nest">
    <xsl:param name="n" select="1"/>
    <xsl:element name="p{$n}:e" namespace="urn:p:{$n}">
      <xsl:attribute name="q:a" namespace="urn:q:{$n mod 7}"><xsl:value-of select="$n"/></xsl:attribute>
      <xsl:choose>
        <xsl:when test="$n = $levels"><xsl:element name="last" namespace="urn:default:1"/><xsl:element name="none"/></xsl:when>
        <xsl:otherwise>
          <xsl:element name="d" namespace="urn:default:{$n mod 3}">
            <xsl:call-template name="nest"><xsl:with-param name="n" select="$n + 1"/></xsl:call-template>
          </xsl:element>
        </xsl:otherwise>
      </xsl:choose>
    </xsl:element>
  </xsl:template>
  <xsl:template match="/">
    <xsl:variable name="made"><xsl:call-template name="nest"/></xsl:variable>
    <xsl:variable name="copied"><xsl:copy-of select="exsl:node-set($made)"/></xsl:variable>
    <xsl:for-each select="exsl:node-set($copied)//*[local-name() = 'last' or local-name() = 'none' or @*[. = 250]]">
      <element name="{local-name()}" in="{namespace-uri()}" namespaces="{count(namespace::*)}" default="{namespace::*[name() = '']}"
        q="{namespace::q}" first="{namespace::p1}" own="{namespace::p250}" last="{namespace::p500}" depth="{count(ancestor::*)}"/>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
