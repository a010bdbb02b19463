<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:p">
  <xsl:output method="text"/>
  <xsl:key name="x" match="i" use="@x"/>
  <xsl:key name="p:y" match="i" use="@y"/>
  <xsl:template match="/">
    <!-- each row asks another key -->
    <xsl:for-each select="//ask"><xsl:value-of select="count(key(@of, @v))"/>,</xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
