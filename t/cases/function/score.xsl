<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:gx="urn:gpuxml">
<xsl:output method="text"/>
<xsl:template match="/">
<xsl:value-of select="concat(function-available('gx:score'), '&#10;')"/>
<xsl:for-each select="//t">
<xsl:sort select="gx:score(., 'gpu memory', '4 2.5 0.5')" data-type="number" order="descending"/>
<xsl:value-of select="concat(@n, ' ', format-number(gx:score(., 'gpu memory'), '0.000000'), ' ', format-number(gx:score(., 'gpu memory', '4 2.5 0.5'), '0.000000'), ' ', format-number(gx:score(., ../w, '4'), '0.000000'), '&#10;')"/>
</xsl:for-each>
</xsl:template>
</xsl:stylesheet>
