<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="exsl">
  <!-- variables with content: rows that all have the same text, or one each; their frames, copied, handed on, and made trees of -->
  <xsl:output omit-xml-declaration="yes" indent="yes"/>
  <xsl:template match="list">
    <out>
      <xsl:for-each select="i">
        <xsl:variable name="same"><xsl:if test="@k">x</xsl:if></xsl:variable>
        <xsl:variable name="own"><b><xsl:value-of select="@k"/></b></xsl:variable>
        <xsl:variable name="none"/>
        <xsl:variable name="node" select="."/>
        <xsl:variable name="attribute" select="@k"/>
        <xsl:variable name="text"><xsl:copy-of select="$attribute"/><xsl:copy-of select="$node"/></xsl:variable>
        <r same="{$same}" is="{$same = 'x'}" not="{$same != 'x'}" number="{number($same) + 1}" some="{boolean($same)}" length="{string-length($none)}"
           text="{$text}" trees="{count(exsl:node-set($same) | exsl:node-set($same))} {count(exsl:node-set($own)/b)}">
          <xsl:copy-of select="$own"/>
          <xsl:copy-of select="$same"/>
          <xsl:copy-of select="$none"/>
          <xsl:if test="@k mod 2 = 0">
            <xsl:call-template name="handed">
              <xsl:with-param name="same" select="$same"/>
              <xsl:with-param name="own" select="$own"/>
              <xsl:with-param name="node" select="$node"/>
            </xsl:call-template>
          </xsl:if>
        </r>
      </xsl:for-each>
      <xsl:variable name="trees">
        <xsl:for-each select="i">
          <xsl:variable name="same">x</xsl:variable>
          <id><xsl:value-of select="generate-id(exsl:node-set($same))"/></id>
        </xsl:for-each>
      </xsl:variable>
      <different><xsl:value-of select="count(exsl:node-set($trees)/id[not(. = preceding-sibling::id)])"/></different>
    </out>
  </xsl:template>
  <xsl:template name="handed">
    <xsl:param name="same"/>
    <xsl:param name="own"/>
    <xsl:param name="node"/>
    <h><xsl:value-of select="concat($same, '-', $own, '-', $node/@k)"/><xsl:copy-of select="$own"/><xsl:copy-of select="$node"/></h>
  </xsl:template>
</xsl:stylesheet>
