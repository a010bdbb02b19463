<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="exsl">
<xsl:output method="xml" omit-xml-declaration="yes"/>
<xsl:variable name="v"><xsl:element name="p:v" namespace="http://www.w3.org/XML/1998/namespace"/></xsl:variable>
<xsl:template match="/"><o>
<xsl:element name="p:a" namespace="http://www.w3.org/XML/1998/namespace"><xsl:attribute name="p:b" namespace="http://www.w3.org/XML/1998/namespace"/><c/></xsl:element>
<xsl:element name="d" namespace="http://www.w3.org/XML/1998/namespace"/>
<xsl:element name="xml:e"/>
<xsl:element name="xml:f" namespace="urn:f"/>
<xsl:value-of select="name(exsl:node-set($v)/*)"/></o></xsl:template>

</xsl:stylesheet>
