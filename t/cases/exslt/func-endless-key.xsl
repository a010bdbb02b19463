<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:func="http://exslt.org/functions" xmlns:my="urn:my" extension-element-prefixes="func" exclude-result-prefixes="my">
<xsl:output omit-xml-declaration="yes"/>
<xsl:key name="k" match="*" use="my:f()"/><func:function name="my:f"><func:result select="count(key('k', 1))"/></func:function>
<xsl:template match="/"><xsl:value-of select="count(key('k', 1))"/></xsl:template>
</xsl:stylesheet>
