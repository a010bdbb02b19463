<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dyn="http://exslt.org/dynamic" xmlns:str="http://exslt.org/strings">
<xsl:variable name="self" select="'dyn:evaluate($self)'"/>
<xsl:template match="/"><xsl:value-of select="count(dyn:evaluate('1'))"/></xsl:template></xsl:stylesheet>
