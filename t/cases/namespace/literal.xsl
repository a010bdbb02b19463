<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:template match="/"><z:o xmlns:z="urn:z"><i xmlns="urn:i" z:k="v"/><z:p/></z:o></xsl:template>
</xsl:stylesheet>
