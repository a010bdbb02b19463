<?xml version="1.0"?>
<!-- Each level of a recursion makes two documents, 600 in all (.args): nodes, strings, keys, order and identity of every one of them -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common"
    xmlns:str="http://exslt.org/strings" exclude-result-prefixes="exsl str">
  <xsl:output omit-xml-declaration="yes" indent="yes"/>
  <xsl:key name="by-text" match="token" use="."/>
  <xsl:key name="by-number" match="m:row" use="@n" xmlns:m="urn:many"/>
  <xsl:param name="levels" select="4"/>
  <xsl:template match="/">
    <out>
      <xsl:call-template name="level"/>
    </out>
  </xsl:template>
  <xsl:template name="level">
    <xsl:param name="n" select="1"/>
    <xsl:param name="tokens" select="/.."/>
    <xsl:param name="rows" select="/.."/>
    <xsl:variable name="fragment">
      <m:row n="{$n}" xmlns:m="urn:many"><xsl:value-of select="concat('row ', $n)"/></m:row>
      <m:row n="{$n + 1}" xmlns:m="urn:many"/>
    </xsl:variable>
    <xsl:choose>
      <xsl:when test="$n &lt;= $levels">
        <xsl:call-template name="level">
          <xsl:with-param name="n" select="$n + 1"/>
          <xsl:with-param name="tokens" select="$tokens | str:tokenize(concat('t', $n, ' u'))"/>
          <xsl:with-param name="rows" select="$rows | exsl:node-set($fragment)/*"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise>
        <xsl:call-template name="report">
          <xsl:with-param name="tokens" select="$tokens"/>
          <xsl:with-param name="rows" select="$rows"/>
        </xsl:call-template>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>
  <xsl:template name="report">
    <xsl:param name="tokens"/>
    <xsl:param name="rows"/>
    <sums tokens="{count($tokens)}" rows="{count($rows)}" numbers="{sum($rows/@n)}" u="{count($tokens[. = 'u'])}"/>
    <order first="{$tokens[1]}" second="{$tokens[2]}" third="{$tokens[3]}" last="{$rows[. != ''][last()]}"/>
    <!-- key() looks in the context node's tree: its own text is there, that of another level's is not -->
    <xsl:for-each select="$tokens[. != 'u']">
      <xsl:if test="count(key('by-text', .)) != 1 or key('by-text', 'u') = $rows or key('by-text', concat('t', position() + 1))">
        <wrong token="{.}"/>
      </xsl:if>
      <xsl:if test="position() mod 75 = 0">
        <token u="{generate-id(key('by-text', 'u')) = generate-id(following-sibling::token)}" name="{name()}"
          other="{count(key('by-text', 'u') | $tokens[. = 'u'][1])}"><xsl:number/>: <xsl:value-of select="."/></token>
      </xsl:if>
    </xsl:for-each>
    <xsl:for-each select="$rows[position() mod 150 = 1]">
      <found n="{@n}" in="{namespace-uri()}" next="{key('by-number', @n + 1)/@n}"><xsl:copy-of select="key('by-number', @n)/node()"/></found>
    </xsl:for-each>
    <ids><xsl:value-of select="count($tokens[generate-id() = generate-id($tokens[300])])"/></ids>
    <xsl:copy-of select="$rows[@n = 299][1]"/>
  </xsl:template>
</xsl:stylesheet>
