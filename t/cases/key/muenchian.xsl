<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:key name="c" match="i" use="@k"/><xsl:template match="/"><o><xsl:for-each select="r/i[generate-id()=generate-id(key('c',@k)[1])]"><g k="{@k}" n="{count(key('c',@k))}"><xsl:for-each select="key('c',@k)"><xsl:value-of select="."/></xsl:for-each></g></xsl:for-each></o></xsl:template>

</xsl:stylesheet>
