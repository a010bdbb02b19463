<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:func="http://exslt.org/functions" xmlns:my="urn:my" extension-element-prefixes="func" exclude-result-prefixes="my">
<xsl:output omit-xml-declaration="yes"/>
<func:function name="my:f"><xsl:param name="n"/><func:result select="my:f($n + 1)"/></func:function>
<xsl:template match="/"><xsl:value-of select="my:f(0)"/></xsl:template>
</xsl:stylesheet>
