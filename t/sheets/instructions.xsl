<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:key name="k" match="a | b[c]" use="concat(@id, '-')"/>
<xsl:attribute-set name="s" use-attribute-sets="t"><xsl:attribute name="q">1</xsl:attribute></xsl:attribute-set>
<xsl:attribute-set name="t"><xsl:attribute name="r"><xsl:value-of select="@r"/></xsl:attribute></xsl:attribute-set>
<xsl:template match="/">
  <out id="{@id}-{{x}}" empty="" xsl:use-attribute-sets="s t">a<xsl:text> b </xsl:text>c</out>
  <xsl:value-of select="'literal'"/>
  <xsl:value-of select="@x" disable-output-escaping="yes"/>
  <xsl:text disable-output-escaping="yes">&lt;</xsl:text>
  <xsl:element name="e" use-attribute-sets="s"><xsl:attribute name="f">g</xsl:attribute></xsl:element>
  <xsl:element name="{@n}" namespace="urn:{@u}"/>
  <xsl:element name="p:e" namespace="urn:p"/>
  <xsl:element name="p:e" namespace=""/>
  <xsl:element name="1a"/>
  <xsl:element name="p:undeclared"/>
  <xsl:attribute name="{@n}"/>
  <xsl:attribute name="xmlns"/>
  <xsl:attribute name="xmlns:x" namespace="urn:x"/>
  <xsl:comment>c<xsl:value-of select="."/></xsl:comment>
  <xsl:processing-instruction name="p">d</xsl:processing-instruction>
  <xsl:processing-instruction name="XML">d</xsl:processing-instruction>
  <xsl:message terminate="yes">m</xsl:message>
  <xsl:if test="a"><xsl:if test="b">2</xsl:if></xsl:if>
  <xsl:choose><xsl:when test="a">1</xsl:when><xsl:when test="b"/><xsl:otherwise>3</xsl:otherwise></xsl:choose>
  <xsl:for-each select="key('k', 'x')">
    <xsl:sort select="@n" data-type="number" order="descending"/>
    <xsl:sort case-order="upper-first" lang="de"/>
    <xsl:sort order="{@o}" data-type="text"/>
    <xsl:value-of select="position()"/>
  </xsl:for-each>
  <xsl:apply-templates/>
  <xsl:apply-templates select="a" mode="m"><xsl:with-param name="p" select="1"/><xsl:sort/><xsl:with-param name="q">x</xsl:with-param></xsl:apply-templates>
  <xsl:call-template name="n"><xsl:with-param name="p"/></xsl:call-template>
  <xsl:number/>
  <xsl:number level="multiple" count="a|b" from="c" format="{@f}" grouping-separator="," grouping-size="3" letter-value="traditional" lang="en"/>
  <xsl:number value="position() + 1" format="a"/>
  <xsl:fallback>never</xsl:fallback>
</xsl:template>
<xsl:template name="n" match="a" mode="m">
  <xsl:param name="p" select="'default'"/>
  <xsl:param name="q"><b/></xsl:param>
  <xsl:copy-of select="$q"/>
  <xsl:apply-imports/>
</xsl:template>
</xsl:stylesheet>
