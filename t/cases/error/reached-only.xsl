<!-- What is an error when it is evaluated is none in a template that is never instantiated, nor behind "or": XPath 3.1, a variable reference
     "evaluates to the value to which the variable name is bound ... It is an error if the variable name is not bound"; 3.2, a function call
     "is evaluated by using the FunctionName to identify a function"; XSLT 6, xsl:call-template "invokes a template by name" -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output omit-xml-declaration="yes"/>
<xsl:variable name="unused" select="$nowhere/a | nope(1)"/>
<xsl:template match="/">
  <out>
    <xsl:if test="true() or $nowhere = nope()">a</xsl:if>
    <xsl:choose>
      <xsl:when test="*">b</xsl:when>
      <xsl:when test="$nowhere/x[concat('1')]">c</xsl:when>
    </xsl:choose>
    <xsl:for-each select="*/none[$nowhere]"><xsl:call-template name="nowhere"/></xsl:for-each>
  </out>
</xsl:template>
<xsl:template match="none">
  <xsl:call-template name="nowhere"><xsl:with-param name="p" select="$nowhere"/></xsl:call-template>
  <e xsl:use-attribute-sets="nowhere" a="{$nowhere}"><xsl:value-of select="nope($nowhere, substring('a'), true(1))"/></e>
  <xsl:copy-of select="$nowhere"/>
  <xsl:for-each select="nope()"><xsl:sort select="$nowhere"/></xsl:for-each>
  <xsl:apply-templates select="$nowhere"/>
  <xsl:apply-templates select="$nowhere/b[1]"/>
</xsl:template>
<xsl:template match="none[nope()]" mode="m"/>
</xsl:stylesheet>
