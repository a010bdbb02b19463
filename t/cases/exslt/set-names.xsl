<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:xalan="http://xml.apache.org/xalan">
<!-- Xalan's names of what EXSLT has as set:difference, set:intersection and set:distinct -->
<xsl:output method="text"/>
<xsl:template match="/r">
<xsl:for-each select="xalan:difference(n, n[. = 3])"><xsl:value-of select="@id"/></xsl:for-each>,
<xsl:for-each select="xalan:intersection(n[position() &lt; 4], n[position() > 1])"><xsl:value-of select="@id"/></xsl:for-each>,
<xsl:for-each select="xalan:distinct(n)"><xsl:value-of select="@id"/></xsl:for-each>,
<xsl:value-of select="concat(function-available('xalan:distinct'), function-available('xalan:has-same-node'))"/>
</xsl:template></xsl:stylesheet>
