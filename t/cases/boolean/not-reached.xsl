<?xml version="1.0"?>
<!-- 3.4: the right side of "and" and "or" is not evaluated where the left one decides: nothing in it is an error then. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:no="urn:no">
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:call-template name="named"/>
    <xsl:call-template name="named"><xsl:with-param name="of" select="/*/i[1]"/></xsl:call-template>
    <xsl:apply-templates select="//i"/>
    <xsl:value-of select="name() != '' and document('not-there.xml')"/>
    <xsl:value-of select="count(//i[false() or (@k = 'c' and no:such-function(.))])"/>
  </xsl:template>
  <xsl:template name="named">
    <xsl:param name="of"/>
    <xsl:value-of select="$of and string-length($of/@k) = 1"/>,<xsl:text/>
    <xsl:value-of select="not($of) or $of/@k = 'a'"/>,<xsl:text/>
    <xsl:value-of select="count(//i[$of and $of/@k = @k])"/>,<xsl:text/>
    <xsl:value-of select="count(//i[not($of and $of/@k = preceding::i/@k)])"/><xsl:text>&#10;</xsl:text>
  </xsl:template>
  <xsl:template match="i">
    <xsl:variable name="text"><xsl:value-of select="@k"/></xsl:variable>
    <xsl:value-of select="@k"/>: <xsl:value-of select="@k = 'c' and $text/x or @k = 'a'"/><xsl:text>&#10;</xsl:text>
  </xsl:template>
</xsl:stylesheet>
