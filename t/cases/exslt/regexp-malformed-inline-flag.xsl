<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:regexp="http://exslt.org/regular-expressions">
<xsl:template match="/"><xsl:value-of select="regexp:test('a', '(?i)a')"/></xsl:template></xsl:stylesheet>
