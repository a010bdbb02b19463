<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings">
<xsl:template match="/"><xsl:value-of select="str:align('a')"/></xsl:template></xsl:stylesheet>
