<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output omit-xml-declaration="yes"/>
<xsl:strip-space elements="*"/>
<!-- "Two documents are treated as the same document if they are identified by the same URI" (12.1): the source is one of them. -->
<xsl:template match="/">
<xsl:variable name="again" select="document('./document-source.xml')"/>
<o>
<same><xsl:value-of select="count($again | /)"/>, <xsl:value-of select="generate-id($again//i[2]) = generate-id(//i[2])"/></same>
<by-base><xsl:value-of select="count(document('document-source.xml', /) | /)"/></by-base>
<fragment><xsl:copy-of select="document('document-source.xml#two')"/></fragment>
<other><xsl:value-of select="count(document('data.inc') | document('data.inc') | /)"/></other>
<order><xsl:for-each select="document('document-source.xml')//i[1] | //i[2] | document('document-source.xml')//i[3]"><xsl:value-of select="."/></xsl:for-each></order>
</o>
</xsl:template></xsl:stylesheet>
