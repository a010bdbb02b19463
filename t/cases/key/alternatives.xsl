<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<!-- more xsl:key of one name than anybody would write -->
<xsl:key name="k" match="e0" use="@v"/>
<xsl:key name="k" match="e1" use="@v"/>
<xsl:key name="k" match="e2" use="@v"/>
<xsl:key name="k" match="e3" use="@v"/>
<xsl:key name="k" match="e4" use="@v"/>
<xsl:key name="k" match="e5" use="@v"/>
<xsl:key name="k" match="e6" use="@v"/>
<xsl:key name="k" match="e7" use="@v"/>
<xsl:key name="k" match="e8" use="@v"/>
<xsl:key name="k" match="e9" use="@v"/>
<xsl:key name="k" match="e10" use="@v"/>
<xsl:key name="k" match="e11" use="@v"/>
<xsl:key name="k" match="e12" use="@v"/>
<xsl:key name="k" match="e13" use="@v"/>
<xsl:key name="k" match="e14" use="@v"/>
<xsl:key name="k" match="e15" use="@v"/>
<xsl:key name="k" match="e16" use="@v"/>
<xsl:key name="k" match="e17" use="@v"/>
<xsl:key name="k" match="e18" use="@v"/>
<xsl:key name="k" match="e19" use="@v"/>
<xsl:key name="k" match="e20" use="@v"/>
<xsl:key name="k" match="e21" use="@v"/>
<xsl:key name="k" match="e22" use="@v"/>
<xsl:key name="k" match="e23" use="@v"/>
<xsl:key name="k" match="e24" use="@v"/>
<xsl:key name="k" match="e25" use="@v"/>
<xsl:key name="k" match="e26" use="@v"/>
<xsl:key name="k" match="e27" use="@v"/>
<xsl:key name="k" match="e28" use="@v"/>
<xsl:key name="k" match="e29" use="@v"/>
<xsl:key name="k" match="e30" use="@v"/>
<xsl:key name="k" match="e31" use="@v"/>
<xsl:key name="k" match="e32" use="@v"/>
<xsl:key name="k" match="e33" use="@v"/>
<xsl:key name="k" match="e34" use="@v"/>
<xsl:key name="k" match="e35" use="@v"/>
<xsl:key name="k" match="e36" use="@v"/>
<xsl:key name="k" match="e37" use="@v"/>
<xsl:key name="k" match="e38" use="@v"/>
<xsl:key name="k" match="e39" use="@v"/>
<xsl:key name="k" match="e40" use="@v"/>
<xsl:key name="k" match="e41" use="@v"/>
<xsl:key name="k" match="e42" use="@v"/>
<xsl:key name="k" match="e43" use="@v"/>
<xsl:key name="k" match="e44" use="@v"/>
<xsl:key name="k" match="e45" use="@v"/>
<xsl:key name="k" match="e46" use="@v"/>
<xsl:key name="k" match="e47" use="@v"/>
<xsl:key name="k" match="e48" use="@v"/>
<xsl:key name="k" match="e49" use="@v"/>
<xsl:key name="k" match="e50" use="@v"/>
<xsl:key name="k" match="e51" use="@v"/>
<xsl:key name="k" match="e52" use="@v"/>
<xsl:key name="k" match="e53" use="@v"/>
<xsl:key name="k" match="e54" use="@v"/>
<xsl:key name="k" match="e55" use="@v"/>
<xsl:key name="k" match="e56" use="@v"/>
<xsl:key name="k" match="e57" use="@v"/>
<xsl:key name="k" match="e58" use="@v"/>
<xsl:key name="k" match="e59" use="@v"/>
<xsl:key name="k" match="e60" use="@v"/>
<xsl:key name="k" match="e61" use="@v"/>
<xsl:key name="k" match="e62" use="@v"/>
<xsl:key name="k" match="e63" use="@v"/>
<xsl:key name="k" match="e64" use="@v"/>
<xsl:key name="k" match="e65" use="@v"/>
<xsl:key name="k" match="e66" use="@v"/>
<xsl:key name="k" match="e67" use="@v"/>
<xsl:key name="k" match="e68" use="@v"/>
<xsl:key name="k" match="e69" use="@v"/>
<xsl:template match="/">
  <xsl:value-of select="count(key('k', 'x'))"/><xsl:text> </xsl:text>
  <xsl:for-each select="key('k', 'y')"><xsl:value-of select="name()"/><xsl:text> </xsl:text></xsl:for-each>
  <xsl:value-of select="count(key('k', 'z'))"/>
</xsl:template>
</xsl:stylesheet>
