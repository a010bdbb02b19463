<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:set="http://exslt.org/sets">
<xsl:template match="/"><xsl:value-of select="set:distinct('a')"/></xsl:template></xsl:stylesheet>
