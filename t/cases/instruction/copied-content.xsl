<?xml version="1.0"?>
<!-- What is only copied is a part of the string-value of the variable or parameter that it is copied into. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:variable name="a"><b><xsl:value-of select="name(*)"/></b>, there</xsl:variable>
    <xsl:variable name="copy"><xsl:copy-of select="$a"/></xsl:variable>
    <xsl:variable name="in-branch">(<xsl:if test="true()"><xsl:copy-of select="$a"/></xsl:if>)</xsl:variable>
    <xsl:variable name="called"><xsl:call-template name="copies-its-own"/></xsl:variable>
    <xsl:variable name="twice"><xsl:variable name="inner"><xsl:copy-of select="$a"/></xsl:variable><xsl:copy-of select="$inner"/></xsl:variable>
    <xsl:value-of select="concat('[', $copy, '] [', $in-branch, '] [', $called, '] [', $twice, ']&#10;')"/>
    <xsl:call-template name="show">
      <xsl:with-param name="p"><xsl:variable name="here">four</xsl:variable><xsl:copy-of select="$here"/></xsl:with-param>
    </xsl:call-template>
    <xsl:for-each select="*">
      <xsl:variable name="later"><xsl:value-of select="string-length(.)"/></xsl:variable>
      <xsl:call-template name="show"><xsl:with-param name="p"><xsl:copy-of select="$later"/></xsl:with-param></xsl:call-template>
    </xsl:for-each>
  </xsl:template>
  <xsl:template name="copies-its-own">
    <xsl:variable name="own">mine</xsl:variable>
    <xsl:for-each select="*"><xsl:copy-of select="$own"/></xsl:for-each>
    <xsl:copy-of select="$own"/>
  </xsl:template>
  <xsl:template name="show"><xsl:param name="p"/>{<xsl:value-of select="$p"/>} <xsl:value-of select="string-length($p)"/><xsl:text>&#10;</xsl:text></xsl:template>
</xsl:stylesheet>
