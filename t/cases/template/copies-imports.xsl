<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:d="urn:d" xmlns:q="urn:q" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="d q exsl">
<!-- xsl:apply-imports reaches the template that copies -->
<xsl:import href="copies-all.xsl"/>
<xsl:template match="d:item"><i><xsl:apply-imports/></i></xsl:template>
</xsl:stylesheet>
