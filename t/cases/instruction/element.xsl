<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><xsl:element name="{name(r/i)}{r/i[1]/@n}"><xsl:element name="x">t</xsl:element></xsl:element></xsl:template>

</xsl:stylesheet>
