<xsl:stylesheet version="2.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" default-collation="x">
<xsl:function name="f"/>
<xsl:template match="a" as="x">
  <xsl:if test="a" unknown="1">ok</xsl:if>
  <xsl:for-each-group select="x"><xsl:fallback>fallback</xsl:fallback></xsl:for-each-group>
  <xsl:sequence select="1"/>
  <xsl:when test="1"/>
  <x><xsl:value-of select="for $i in 1 to 3 return $i"/></x>
  <xsl:variable name="v" select="1"/><xsl:variable name="v" select="2"/><xsl:value-of select="$v"/>
  <y xsl:version="1.0"><xsl:value-of select="1"/></y>
</xsl:template>
</xsl:stylesheet>
