<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:p">
<xsl:output omit-xml-declaration="yes"/>
<!-- names whose prefixes are not declared, or declared later, are as they are written and in no namespace -->
<xsl:template match="/"><out><xsl:for-each select="//*|//@*|//processing-instruction()"><n><xsl:value-of select="concat(name(),'|',local-name(),'|',namespace-uri(),'|',.)"/></n></xsl:for-each><c><xsl:copy-of select="/"/></c><m><xsl:apply-templates select="//*"/></m><k><xsl:value-of select="count(//p:*)"/>,<xsl:value-of select="count(//*[local-name()='x'])"/></k></out></xsl:template>
<xsl:template match="*"><xsl:copy><xsl:copy-of select="@*"/>any </xsl:copy></xsl:template>
<xsl:template match="p:x">p:x </xsl:template>
<xsl:template match="x">x </xsl:template>
</xsl:stylesheet>
