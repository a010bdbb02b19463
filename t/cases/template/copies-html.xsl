<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:d="urn:d" xmlns:q="urn:q" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="d q exsl">
<xsl:output method="html"/>
<xsl:template match="@*|node()"><xsl:copy><xsl:apply-templates select="@*|node()"/></xsl:copy></xsl:template>
<xsl:template match="d:group"><div><xsl:apply-templates/></div></xsl:template>
</xsl:stylesheet>
