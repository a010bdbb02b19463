<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" xmlns:set="http://exslt.org/sets" exclude-result-prefixes="exsl set">
<!-- a fragment is one tree, however often exsl:node-set() is asked for it; two fragments are two -->
<xsl:output method="text"/>
<xsl:variable name="global"><a/><b/></xsl:variable>
<xsl:template name="walk">
  <xsl:param name="left"/><xsl:param name="of"/>
  <xsl:choose>
    <xsl:when test="$left = 0"><xsl:value-of select="count($of | exsl:node-set($global))"/></xsl:when>
    <xsl:otherwise><xsl:call-template name="walk">
      <xsl:with-param name="left" select="$left - 1"/>
      <xsl:with-param name="of" select="$of | exsl:node-set($global)"/>
    </xsl:call-template></xsl:otherwise>
  </xsl:choose>
</xsl:template>
<xsl:template name="given">
  <xsl:param name="p"><x/></xsl:param>
  <xsl:param name="node"/>
  <xsl:value-of select="concat(count(exsl:node-set($p) | $node), ' ', count(exsl:node-set($p) | exsl:node-set($p)))"/>
</xsl:template>
<xsl:template match="/">
  <xsl:variable name="v"><x>1</x><x>2</x><x>3</x></xsl:variable>
  <xsl:variable name="again" select="$v"/>
  <xsl:variable name="copy"><xsl:copy-of select="$v"/></xsl:variable>
  <xsl:variable name="text">words</xsl:variable>
  <xsl:variable name="text2">words</xsl:variable>
  <xsl:variable name="empty"></xsl:variable>
  <xsl:text>twice </xsl:text><xsl:value-of select="count(exsl:node-set($v) | exsl:node-set($v))"/>
  <xsl:text>&#10;by identifier </xsl:text><xsl:value-of select="generate-id(exsl:node-set($v)) = generate-id(exsl:node-set($v))"/>
  <xsl:text>&#10;difference </xsl:text><xsl:for-each select="set:difference(exsl:node-set($v)/*, exsl:node-set($v)/*[1])"><xsl:value-of select="."/></xsl:for-each>
  <xsl:text>&#10;bound again </xsl:text><xsl:value-of select="count(exsl:node-set($v) | exsl:node-set($again))"/>
  <xsl:text>&#10;copied </xsl:text><xsl:value-of select="count(exsl:node-set($v) | exsl:node-set($copy))"/>
  <xsl:text>&#10;text </xsl:text><xsl:value-of select="concat(count(exsl:node-set($text) | exsl:node-set($text)), ' ', count(exsl:node-set($text) | exsl:node-set($text2)))"/>
  <xsl:text>&#10;global </xsl:text><xsl:value-of select="count(exsl:node-set($global)/* | exsl:node-set($global)/*)"/>
  <xsl:text>&#10;in a recursion of 400 </xsl:text><xsl:call-template name="walk"><xsl:with-param name="left" select="400"/><xsl:with-param name="of" select="/.."/></xsl:call-template>
  <xsl:text>&#10;handed on </xsl:text><xsl:call-template name="given"><xsl:with-param name="p" select="$v"/><xsl:with-param name="node" select="exsl:node-set($v)"/></xsl:call-template>
  <xsl:text>&#10;a default </xsl:text><xsl:call-template name="given"><xsl:with-param name="node" select="exsl:node-set($v)"/></xsl:call-template>
  <xsl:text>&#10;of each row </xsl:text>
  <xsl:for-each select="exsl:node-set($v)/x">
    <xsl:variable name="own"><y><xsl:value-of select="."/></y></xsl:variable>
    <xsl:value-of select="concat(exsl:node-set($own)/y, '=', exsl:node-set($own)/y[. = current()], ':', count(exsl:node-set($own) | exsl:node-set($own) | exsl:node-set($v)), ' ')"/>
  </xsl:for-each>
  <xsl:text>&#10;in predicates </xsl:text><xsl:value-of select="count(exsl:node-set($v)/x[count(. | exsl:node-set($v)/x[2]) = count(exsl:node-set($v)/x[2])])"/>
</xsl:template>
</xsl:stylesheet>
