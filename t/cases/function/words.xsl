<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:gx="urn:gpuxml" exclude-result-prefixes="gx">
<xsl:output method="text"/>
<xsl:template match="d">
<xsl:value-of select="concat(function-available('gx:contains-word'), function-available('gx:phrase'), function-available('gx:none'), '&#10;')"/>
<xsl:for-each select="p">
<xsl:value-of select="position()"/>
<xsl:if test="gx:contains-word(., 'gpu')"> gpu</xsl:if>
<xsl:if test="gx:contains-word(., 'memory fast')"> memory+fast</xsl:if>
<xsl:if test="gx:contains-word(., 'mem')"> mem</xsl:if>
<xsl:if test="gx:contains-word(., 'bandwidth')"> bandwidth</xsl:if>
<xsl:if test="gx:contains-word(., 'band')"> band</xsl:if>
<xsl:if test="gx:contains-word(b, 'BAND')"> b:band</xsl:if>
<xsl:if test="gx:contains-word(., 'köln STRAßE')"> köln</xsl:if>
<xsl:if test="gx:contains-word(., 'ελλάδα москва 3d')"> greek</xsl:if>
<xsl:if test="gx:contains-word(., '')"> nothing</xsl:if>
<xsl:if test="gx:phrase(., 'Fast, network!')"> phrase</xsl:if>
<xsl:if test="gx:phrase(., 'memory network')"> wrong</xsl:if>
<xsl:if test="gx:phrase(., 'x ray')"> x-ray</xsl:if>
<xsl:if test="gx:phrase(., '-')"> none</xsl:if>
<xsl:text>&#10;</xsl:text>
</xsl:for-each>
<xsl:value-of select="concat(count(p[gx:contains-word(., 'memory')]), ' ', count(//*[gx:phrase(., 'its')]), '&#10;')"/>
</xsl:template>
</xsl:stylesheet>
