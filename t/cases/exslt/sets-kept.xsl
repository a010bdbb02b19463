<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:set="http://exslt.org/sets" xmlns:func="http://exslt.org/functions"
    xmlns:dyn="http://exslt.org/dynamic" xmlns:f="urn:f" extension-element-prefixes="func" exclude-result-prefixes="set dyn f">
<!-- Parts of sets, stored: in xsl:copy-of, variables, parameters, keys, results of functions. -->
<xsl:output omit-xml-declaration="yes"/>
<xsl:variable name="global" select="set:trailing(//i, //i[3])"/>
<xsl:key name="before" match="i" use="set:leading(../i, .)"/>
<func:function name="f:after"><xsl:param name="node"/><func:result select="set:trailing(//i, $node)"/></func:function>
<xsl:template name="show"><xsl:param name="of"/><xsl:copy-of select="$of"/></xsl:template>
<xsl:template match="/">
<o>
<leading><xsl:copy-of select="set:leading(//i, //i[3])"/></leading>
<trailing><xsl:copy-of select="set:trailing(//i, //i[3])"/></trailing>
<none><xsl:copy-of select="set:leading(//i, //i)"/><xsl:copy-of select="set:trailing(//i, /)"/></none>
<all><xsl:copy-of select="set:leading(//i, /..)"/></all>
<global><xsl:copy-of select="$global"/></global>
<rows><xsl:for-each select="//i"><xsl:variable name="v" select="set:leading(../i, .)"/>
<row><xsl:copy-of select="set:trailing(../i, .)"/>|<xsl:copy-of select="$v"/>|<xsl:value-of select="set:trailing(set:leading(//i, .), //i[1])"/>|<xsl:copy-of select="f:after(.)[1]"/></row>
</xsl:for-each></rows>
<param><xsl:call-template name="show"><xsl:with-param name="of" select="set:leading(//i, //i[2])"/></xsl:call-template></param>
<key><xsl:value-of select="concat(count(key('before', 'a')), count(key('before', 'd')))"/></key>
<function><xsl:copy-of select="f:after(//i[3])"/></function>
<dynamic><xsl:copy-of select="dyn:evaluate('set:leading(//i, //i[3])')"/></dynamic>
</o>
</xsl:template></xsl:stylesheet>
