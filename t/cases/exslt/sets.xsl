<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:set="http://exslt.org/sets" exclude-result-prefixes="set">
<xsl:output method="text"/>
<xsl:variable name="none" select="/.."/>
<xsl:template name="ids"><xsl:param name="of"/><xsl:for-each select="$of"><xsl:value-of select="@id"/><xsl:text> </xsl:text></xsl:for-each>;</xsl:template>
<xsl:template match="/">
<xsl:variable name="all" select="r/n"/>
<xsl:variable name="three" select="r/n[. = 3]"/>
difference <xsl:call-template name="ids"><xsl:with-param name="of" select="set:difference($all, $three)"/></xsl:call-template>
difference none <xsl:call-template name="ids"><xsl:with-param name="of" select="set:difference($three, $none)"/></xsl:call-template>
difference of none <xsl:call-template name="ids"><xsl:with-param name="of" select="set:difference($none, $three)"/></xsl:call-template>
intersection <xsl:call-template name="ids"><xsl:with-param name="of" select="set:intersection(r/n[position() &lt; 4], r/n[position() > 1])"/></xsl:call-template>
intersection none <xsl:call-template name="ids"><xsl:with-param name="of" select="set:intersection($all, $none)"/></xsl:call-template>
distinct <xsl:call-template name="ids"><xsl:with-param name="of" select="set:distinct($all)"/></xsl:call-template>
distinct none <xsl:value-of select="count(set:distinct($none))"/>
distinct words <xsl:for-each select="set:distinct(//t)">[<xsl:value-of select="."/>]</xsl:for-each>
leading <xsl:call-template name="ids"><xsl:with-param name="of" select="set:leading($all, r/n[. = 12])"/></xsl:call-template>
leading none <xsl:call-template name="ids"><xsl:with-param name="of" select="set:leading($three, $none)"/></xsl:call-template>
leading not in it <xsl:call-template name="ids"><xsl:with-param name="of" select="set:leading($three, r/n[2])"/></xsl:call-template>
trailing <xsl:call-template name="ids"><xsl:with-param name="of" select="set:trailing($all, r/n[. = 12])"/></xsl:call-template>
trailing none <xsl:call-template name="ids"><xsl:with-param name="of" select="set:trailing($three, $none)"/></xsl:call-template>
trailing not in it <xsl:call-template name="ids"><xsl:with-param name="of" select="set:trailing($three, r/n[2])"/></xsl:call-template>
same <xsl:value-of select="concat(set:has-same-node($all, $three), set:has-same-node($three, r/n[2]), set:has-same-node($none, $all))"/>
rows <xsl:for-each select="r/n">
<xsl:value-of select="concat(count(set:leading($all, .)), count(set:trailing($all, .)), count(set:difference($all, .)), set:has-same-node(., $three), ' ')"/>
</xsl:for-each>
in a predicate <xsl:value-of select="count(//n[set:has-same-node(., ../n[2])])"/>
</xsl:template></xsl:stylesheet>
