<?xml version="1.0" encoding="UTF-8"?>
<!-- oai.xsl: the answers of an OAI-PMH 2.0 repository (DSpace, EPrints, OJS, Invenio) as pages -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
    xmlns:dc="http://purl.org/dc/elements/1.1/" exclude-result-prefixes="o dc">
<xsl:import href="page.xsl"/>
<xsl:variable name="verb" select="string(/o:OAI-PMH/o:request/@verb)"/>

<xsl:template match="/" mode="title"><xsl:choose>
<xsl:when test="//o:repositoryName"><xsl:value-of select="//o:repositoryName"/></xsl:when>
<xsl:when test="$verb != ''"><xsl:value-of select="$verb"/></xsl:when>
<xsl:otherwise>OAI-PMH</xsl:otherwise></xsl:choose></xsl:template>

<xsl:template match="/" mode="lead">An interface for programs that harvest metadata (OAI-PMH 2.0), answered <xsl:value-of select="/o:OAI-PMH/o:responseDate"/>.</xsl:template>

<xsl:template match="/" mode="body">
<nav><a href="?verb=Identify">Identify</a><a href="?verb=ListSets">Sets</a><a href="?verb=ListMetadataFormats">Formats</a>
<a href="?verb=ListRecords&amp;metadataPrefix=oai_dc">Records</a><a href="?verb=ListIdentifiers&amp;metadataPrefix=oai_dc">Identifiers</a></nav>
<xsl:apply-templates select="/o:OAI-PMH/*[not(self::o:responseDate or self::o:request)]"/>
</xsl:template>

<xsl:template match="o:error"><article><h2>Error: <xsl:value-of select="@code"/></h2><p><xsl:value-of select="."/></p></article></xsl:template>

<xsl:template match="o:Identify | o:metadataFormat">
<article><table><xsl:for-each select="*[not(*)]"><tr><th><xsl:value-of select="local-name()"/></th><td><xsl:value-of select="."/></td></tr></xsl:for-each></table></article>
</xsl:template>

<xsl:template match="o:set">
<article><h2><a href="?verb=ListRecords&amp;metadataPrefix=oai_dc&amp;set={o:setSpec}"><xsl:value-of select="o:setName"/></a></h2><p class="meta"><xsl:value-of select="o:setSpec"/></p></article>
</xsl:template>

<xsl:template match="o:record | o:header[not(parent::o:record)]">
<xsl:variable name="header" select="self::o:header | o:header"/>
<article>
<h2><xsl:choose><xsl:when test=".//dc:title"><xsl:value-of select=".//dc:title"/></xsl:when><xsl:otherwise><xsl:value-of select="$header/o:identifier"/></xsl:otherwise></xsl:choose></h2>
<p class="meta"><xsl:value-of select="$header/o:identifier"/> · <xsl:value-of select="$header/o:datestamp"/><xsl:if test="$header/@status"> · <xsl:value-of select="$header/@status"/></xsl:if></p>
<xsl:if test=".//dc:*[not(self::dc:title)]"><table><xsl:for-each select=".//dc:*[not(self::dc:title)]">
<tr><th><xsl:value-of select="local-name()"/></th><td><xsl:choose>
<xsl:when test="self::dc:identifier or self::dc:relation"><xsl:call-template name="link"><xsl:with-param name="href" select="string(.)"/></xsl:call-template></xsl:when>
<xsl:otherwise><xsl:value-of select="."/></xsl:otherwise></xsl:choose></td></tr></xsl:for-each></table></xsl:if>
</article>
</xsl:template>

<xsl:template match="o:ListRecords | o:ListIdentifiers | o:ListSets | o:ListMetadataFormats | o:GetRecord"><xsl:apply-templates/></xsl:template>

<xsl:template match="o:resumptionToken"><xsl:if test=". != ''">
<p><a href="?verb={$verb}&amp;resumptionToken={.}">More<xsl:if test="@completeListSize"> of <xsl:value-of select="@completeListSize"/></xsl:if></a></p></xsl:if></xsl:template>
<xsl:template match="text()"/>
</xsl:stylesheet>
