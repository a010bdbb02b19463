<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:func="http://exslt.org/functions" xmlns:my="urn:my" extension-element-prefixes="func" exclude-result-prefixes="my">
<xsl:output omit-xml-declaration="yes"/>
<func:function name="my:f"><xsl:choose><xsl:when test="@id = 'a'"><func:result select="."/></xsl:when><xsl:otherwise><func:result select="7"/></xsl:otherwise></xsl:choose></func:function>
<xsl:template match="/"><xsl:for-each select="r/n"><xsl:variable name="v" select="my:f()"/><xsl:copy-of select="$v"/></xsl:for-each></xsl:template>
</xsl:stylesheet>
