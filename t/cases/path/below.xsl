<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output omit-xml-declaration="yes"/>
<!-- a child of a descendant element: at least one element stands between it and the context -->
<xsl:template match="/">
<out>
  <xsl:for-each select="/ | //a | //b"><n name="{name()}{@i}">
    <xsl:for-each select="descendant::*/child::b">b<xsl:value-of select="@i"/>;</xsl:for-each>|<xsl:text/>
    <xsl:for-each select="descendant::node()/b">b<xsl:value-of select="@i"/>;</xsl:for-each>|<xsl:text/>
    <xsl:for-each select="descendant::*/descendant::b">b<xsl:value-of select="@i"/>;</xsl:for-each>|<xsl:text/>
    <xsl:for-each select="descendant::*/b[1]">b<xsl:value-of select="@i"/>;</xsl:for-each>|<xsl:text/>
    <xsl:for-each select="descendant::*/b[last() = 2]">b<xsl:value-of select="@i"/>;</xsl:for-each>|<xsl:text/>
    <xsl:for-each select="descendant::*/b[a]">b<xsl:value-of select="@i"/>;</xsl:for-each>|<xsl:text/>
    <xsl:for-each select="descendant::*[b]/b">b<xsl:value-of select="@i"/>;</xsl:for-each>|<xsl:text/>
    <xsl:value-of select="count(descendant::*/text())"/>,<xsl:value-of select="count(descendant::*/node())"/>,<xsl:value-of select="count(.//*//*)"/>
  </n></xsl:for-each>
</out>
</xsl:template>
</xsl:stylesheet>
