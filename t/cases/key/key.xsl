<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:p">
<xsl:output method="text"/>
<xsl:key name="id" match="p|q" use="@id"/><xsl:key name="id" match="p" use="."/><xsl:key name="p:len" match="p" use="string-length(@c)"/><xsl:template match="/">
  <xsl:value-of select="count(key('id','1'))"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="key('id','1')[2]"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="key('id','B')/@id"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(key('id',//c/@ref))"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(key('id','zz'))"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="key('p:len',3)"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(key('id',''))"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="key('id',concat('',2))"/><xsl:text>&#10;</xsl:text>
  <xsl:value-of select="count(key('id','1')|key('id','A'))"/><xsl:text>&#10;</xsl:text>
</xsl:template>
</xsl:stylesheet>
