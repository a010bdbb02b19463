<!DOCTYPE xsl:stylesheet [<!ENTITY shared SYSTEM "document-own.ent">]>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:t="urn:table" xmlns:exsl="http://exslt.org/common"
    xmlns:dyn="http://exslt.org/dynamic" exclude-result-prefixes="t exsl dyn" id="main">
<xsl:import href="document-own.inc"/>
<xsl:output omit-xml-declaration="yes" indent="yes"/>
<xsl:strip-space elements="t:*"/>
<t:table>
  <t:month n="1">January</t:month>
  <t:month n="2" id="second">February</t:month>
</t:table>
&shared;
<xsl:param name="nothing"/>
<xsl:variable name="made"><a><b/></a></xsl:variable>
<xsl:template match="/">
  <o>
    <literal><xsl:value-of select="document('')/*/t:table/t:month[@n = 2]"/></literal>
    <computed><xsl:value-of select="document($nothing)/*/t:table/t:month[@n = 1]"/></computed>
    <node-set><xsl:value-of select="count(document(/doc/empty)/doc)"/></node-set>
    <of-a-node><xsl:value-of select="name(document('', /doc)/*)"/></of-a-node>
    <of-an-attribute><xsl:value-of select="name(document('', /doc/@at)/*)"/></of-an-attribute>
    <of-a-made-tree><xsl:value-of select="name(document('', exsl:node-set($made))/*)"/></of-a-made-tree>
    <of-no-node><xsl:value-of select="count(document('', /none))"/></of-no-node>
    <of-itself><xsl:value-of select="count(document('', document('')) | document(''))"/></of-itself>
    <one-document><xsl:value-of select="count(document('') | document('document-own.xsl') | document('./document-own.xsl') | document($nothing))"/></one-document>
    <stripped><xsl:value-of select="count(document('')/*/t:table/text())"/></stripped>
    <entity><xsl:value-of select="document('')/*/t:shared"/></entity>
    <parent><xsl:value-of select="count(document('')/.. | document('')/self::node()[not(self::*)])"/></parent>
    <dynamic><xsl:value-of select="dyn:evaluate(&quot;name(document('')/*/*[1])&quot;)"/></dynamic>
    <xsl:call-template name="imported"/>
  </o>
</xsl:template>
</xsl:stylesheet>
