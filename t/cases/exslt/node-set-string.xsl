<!-- "You can also use this function to turn a string into a text node": exsl:node-set() of what is no fragment -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="exsl">
  <xsl:output omit-xml-declaration="yes"/>
  <xsl:template match="/">
    <out>
      <xsl:for-each select="//*">
        <i n="{count(exsl:node-set(string(@id))/self::text())}"><xsl:copy-of select="exsl:node-set(string(@id))[not(text())]"/></i>
      </xsl:for-each>
      <a><xsl:apply-templates select="exsl:node-set('t') | exsl:node-set(1 + 1) | exsl:node-set(true())"/></a>
      <b><xsl:value-of select="concat(count(exsl:node-set('')), '[', exsl:node-set(''), ']')"/></b>
    </out>
  </xsl:template>
  <xsl:template match="text()">(<xsl:value-of select="."/>)</xsl:template>
</xsl:stylesheet>
