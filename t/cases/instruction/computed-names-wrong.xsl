<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- names that no element or attribute can have, as literals and computed: the attribute is left out, the element's content stands for it
     without its first attributes (7.1.2, 7.1.3). Nothing is in the namespace of xmlns (Namespaces in XML, 3). -->
<xsl:output method="xml" indent="no" omit-xml-declaration="yes"/>
<xsl:variable name="xmlns" select="'http://www.w3.org/2000/xmlns/'"/>
<xsl:variable name="fragment"><xsl:element name="{'a b'}"><in/></xsl:element></xsl:variable>
<xsl:template match="/">
<out>
  <r><xsl:attribute name="a b">1</xsl:attribute><xsl:attribute name="c">2</xsl:attribute></r>
  <r><xsl:attribute name="{'a b'}">1</xsl:attribute><xsl:attribute name="c">2</xsl:attribute></r>
  <r><xsl:attribute name="{''}">1</xsl:attribute><xsl:attribute name="{':a'}">1</xsl:attribute><xsl:attribute name="{'a:'}">1</xsl:attribute><xsl:attribute name="{'a:b:c'}">1</xsl:attribute></r>
  <r><xsl:attribute name="xmlns">1</xsl:attribute><xsl:attribute name="{'xmlns'}">1</xsl:attribute><xsl:attribute name="{'xmlns'}" namespace="urn:x">1</xsl:attribute></r>
  <r><xsl:attribute name="none:a">1</xsl:attribute><xsl:attribute name="{'none:a'}">1</xsl:attribute></r>
  <r><xsl:attribute name="p:a" namespace="http://www.w3.org/2000/xmlns/">1</xsl:attribute><xsl:attribute name="{'p:a'}" namespace="http://www.w3.org/2000/xmlns/">1</xsl:attribute><xsl:attribute name="p:a" namespace="{$xmlns}">1</xsl:attribute></r>
  <r><xsl:element name="a b"><xsl:attribute name="c">1</xsl:attribute><in/>text</xsl:element></r>
  <r><xsl:element name="{'a b'}"><xsl:attribute name="c">1</xsl:attribute><in/>text</xsl:element></r>
  <r><xsl:element name="none:a"><in/></xsl:element><xsl:element name="{'none:a'}"><in/></xsl:element></r>
  <r><xsl:element name="p:a" namespace="http://www.w3.org/2000/xmlns/"><in/></xsl:element><xsl:element name="{'p:a'}" namespace="http://www.w3.org/2000/xmlns/"><in/></xsl:element><xsl:element name="p:a" namespace="{$xmlns}"><in/></xsl:element></r>
  <r><xsl:element name="{''}"><xsl:element name="{'-'}"><xsl:element name="{'ok'}"><xsl:attribute name="{'1'}"><xsl:value-of select="1"/></xsl:attribute><in/></xsl:element></xsl:element></xsl:element></r>
  <r><xsl:copy-of select="$fragment"/><xsl:value-of select="string($fragment)"/></r>
  <r><xsl:comment><xsl:element name="{'a b'}">kept</xsl:element></xsl:comment><xsl:attribute name="late">1</xsl:attribute></r>
  <r><xsl:attribute name="a&#xd7;b">1</xsl:attribute><xsl:attribute name="{'a&#xd7;b'}">1</xsl:attribute><xsl:attribute name="&#xe9;">1</xsl:attribute><xsl:element name="a&#x2190;"><in/></xsl:element><xsl:element name="&#x301;a:b" namespace="urn:x"><in/></xsl:element></r>
</out>
</xsl:template>
</xsl:stylesheet>
