<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:p" exclude-result-prefixes="p">
<!-- one row's steps from many contexts: by marks of nodes. The ids' sum and order tell what was found -->
<xsl:output omit-xml-declaration="yes"/>
<xsl:template name="say"><xsl:param name="s"/>
  <s n="{count($s)}"><xsl:for-each select="$s"><xsl:value-of select="concat(name(), @i, substring(self::text(), 1, 3), ' ')"/></xsl:for-each></s>
</xsl:template>
<xsl:template match="/">
<out>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//b/.."/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//@i/.."/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//text()/parent::c"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//b/parent::p:*"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//text()/ancestor::*"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//c/ancestor-or-self::node()"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//@*/ancestor-or-self::c"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//@*/ancestor-or-self::node()[last()]"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//*/@*"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//node()/@node()"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//*/@p:*"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="(//b | //c)/node()"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="(//@* | //c)/c"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//*/text()"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//*/comment()"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//*/nobody"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="//c/descendant::b"/></xsl:call-template>
  <xsl:call-template name="say"><xsl:with-param name="s" select="(//c | //@j)/descendant-or-self::node()"/></xsl:call-template>
  <xsl:value-of select="concat(boolean(//c/ancestor::b), boolean(//b/@k), boolean(//c/nobody), boolean(//@i/..), boolean(//text()/parent::nobody))"/>
  <n><xsl:value-of select="concat(count(//*[@j]), ' ', count(//*[c]), ' ', count(//*[ancestor::b]), ' ', count(//*[preceding-sibling::b]), ' ', count(//*[following::text()]), ' ', count(//*[not(preceding::comment())]), ' ', count(//*[descendant::text() and following-sibling::c]))"/></n>
  <n><xsl:value-of select="concat(count(//*[b]), ' ', count(//*[node()]), ' ', count(//*[text()]), ' ', count(//*[*]), ' ', count(//*[comment()]), ' ', count(//*[processing-instruction()]), ' ', count(//*[processing-instruction('pi')]))"/></n>
  <n><xsl:value-of select="concat(count(//*[nobody]), ' ', count((//@* | //c)[node()]), ' ', count(//node()[c]), ' ', count((/ | //*)[r]), ' ', count(//*[p:e]), ' ', count(//*[p:*]), ' ', count(//*[not(d) and text()]))"/></n>
  <n><xsl:value-of select="concat(count(//*[@text()]), ' ', count(//*/@text()), ' ', count(//*/@comment()), ' ', count(//*[@*]), ' ', count(//*[@node()]), ' ', count(//*/@j), ' ', count(//*/@i), ' ', count((//@* | //c)/@j), ' ', count(//*[@nobody]), ' ', count(//node()[@p:k]), ' ', count(//*[@processing-instruction()]))"/></n>
</out>
</xsl:template>
</xsl:stylesheet>
