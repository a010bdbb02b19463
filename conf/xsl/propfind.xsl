<?xml version="1.0" encoding="UTF-8"?>
<!-- propfind.xsl: what a WebDAV folder answers to PROPFIND (RFC 4918, 9.1), as a page -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:d="DAV:" exclude-result-prefixes="d">
<xsl:import href="page.xsl"/>
<xsl:variable name="self" select="/d:multistatus/d:response[1]/d:href"/>

<xsl:template match="/" mode="title"><xsl:value-of select="$self"/></xsl:template>
<xsl:template match="/" mode="lead"><xsl:value-of select="count(/d:multistatus/d:response) - 1"/> resources in this WebDAV folder</xsl:template>

<xsl:template match="/" mode="body">
<table>
<tr><th>Name</th><th>Type</th><th>Last changed</th><th class="number">Size</th></tr>
<xsl:for-each select="/d:multistatus/d:response[position() &gt; 1]">
<xsl:sort select="not(.//d:collection)"/><xsl:sort select="d:href"/>
<xsl:variable name="prop" select="d:propstat/d:prop"/>
<tr><td><a href="{d:href}"><xsl:value-of select="substring-after(d:href, $self)"/></a></td>
<td><xsl:value-of select="$prop/d:getcontenttype"/></td><td><xsl:value-of select="$prop/d:getlastmodified"/></td>
<td class="number"><xsl:value-of select="$prop/d:getcontentlength"/></td></tr>
</xsl:for-each>
</table>
</xsl:template>
</xsl:stylesheet>
