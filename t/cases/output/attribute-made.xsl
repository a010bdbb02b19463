<!-- Attributes whose values are made by conditions, calls and rules. In a value only text counts, of elements there, too (7.1.3). -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:p" exclude-result-prefixes="p">
  <xsl:output method="html" indent="no"/>
  <xsl:template match="/">
    <html><body><xsl:apply-templates select="//row"/></body></html>
  </xsl:template>
  <xsl:template match="row">
    <xsl:variable name="tree"><b>x</b><xsl:value-of select="@k"/>&amp;</xsl:variable>
    <div>
      <xsl:attribute name="class">
        <xsl:choose>
          <xsl:when test="position() = 1">first</xsl:when>
          <xsl:when test="@k = 'b'">"b"</xsl:when>
        </xsl:choose>
      </xsl:attribute>
      <a>
        <xsl:attribute name="href">/<xsl:if test="@k"><xsl:value-of select="@k"/>&#xe9; &lt;&amp;"</xsl:if></xsl:attribute>
        <xsl:attribute name="title"><xsl:call-template name="word"><xsl:with-param name="n" select="@k"/></xsl:call-template></xsl:attribute>
        <xsl:text>x</xsl:text>
      </a>
      <input checked="{@c}">
        <xsl:attribute name="disabled"><xsl:if test="@k = 'a'">Disabled</xsl:if></xsl:attribute>
        <xsl:attribute name="readonly"><xsl:if test="@k = 'a'">no</xsl:if></xsl:attribute>
        <xsl:attribute name="class"/>
      </input>
      <p>
        <xsl:attribute name="a"><xsl:copy-of select="$tree"/></xsl:attribute>
        <xsl:attribute name="b"><xsl:value-of select="$tree"/></xsl:attribute>
        <xsl:attribute name="c"><xsl:apply-templates/></xsl:attribute>
        <xsl:attribute name="d"><xsl:for-each select="*"><xsl:sort select="." order="descending"/><xsl:value-of select="."/>,</xsl:for-each></xsl:attribute>
        <xsl:attribute name="e"><xsl:number value="position()" format="i"/><xsl:if test="@k">.</xsl:if></xsl:attribute>
      </p>
      <!-- replaced; after a child; one more from a condition; a namespace of its own -->
      <q t="1"><xsl:attribute name="t"><xsl:if test="@k = 'a'">two</xsl:if></xsl:attribute></q>
      <q>x<xsl:attribute name="t"><xsl:if test="@k = 'a'">two</xsl:if></xsl:attribute></q>
      <q><xsl:attribute name="t"><xsl:if test="@k = 'a'">two</xsl:if></xsl:attribute><xsl:if test="@k = 'a'"><xsl:attribute name="u">u</xsl:attribute></xsl:if></q>
      <q><xsl:attribute name="p:t"><xsl:if test="@k = 'a'">two</xsl:if></xsl:attribute></q>
      <p:q><xsl:attribute name="t"><xsl:apply-templates select="." mode="e"/></xsl:attribute></p:q>
      <br><xsl:attribute name="t"><xsl:apply-templates select="*"/></xsl:attribute></br>
    </div>
  </xsl:template>
  <xsl:template match="c"><c><xsl:value-of select="."/></c></xsl:template>
  <xsl:template match="*" mode="e">
    <xsl:variable name="x">v<i>w</i></xsl:variable>
    <xsl:value-of select="$x"/>
    <xsl:processing-instruction name="x">pi</xsl:processing-instruction>
  </xsl:template>
  <xsl:template name="word">
    <xsl:param name="n"/>
    <b>word<i>&#160;</i></b>
    <xsl:comment>no</xsl:comment>
    <xsl:attribute name="no">no</xsl:attribute>
    <xsl:value-of select="$n"/>
  </xsl:template>
</xsl:stylesheet>
