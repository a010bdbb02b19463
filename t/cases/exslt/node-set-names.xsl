<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:a="http://exslt.org/common" xmlns:b="http://xmlsoft.org/XSLT/namespace"
  xmlns:c="http://xml.apache.org/xalan" xmlns:d="http://icl.com/saxon" xmlns:e="urn:schemas-microsoft-com:xslt" xmlns:g="http://www.jclark.com/xt">
<xsl:output method="text"/>
<xsl:template match="/"><xsl:variable name="f"><i/><i/></xsl:variable>
<xsl:value-of select="concat(count(a:node-set($f)/i), count(b:node-set($f)/i), count(c:nodeset($f)/i), count(d:node-set($f)/i), count(e:node-set($f)/i), count(g:node-set($f)/i))"/>
<xsl:value-of select="concat(function-available('a:node-set'), function-available('c:nodeset'), function-available('c:node-set'))"/>
</xsl:template></xsl:stylesheet>
