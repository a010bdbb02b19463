<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:func="http://exslt.org/functions" xmlns:f="urn:f"
  extension-element-prefixes="func">
<!-- a result by expression and by content; and, or with calls on the right -->
<func:function name="f:down"><xsl:param name="n"/><xsl:param name="m" select="position()"/>
  <func:result select="$n = 0 or f:down($n - 1, $m)"/></func:function>
<func:function name="f:tree"><xsl:if test="@x"><func:result><a><xsl:value-of select="."/></a></func:result></xsl:if></func:function>
<func:function name="f:nothing"/>
<xsl:template match="a[f:down(1)]"><xsl:value-of select="f:tree()"/><xsl:copy-of select="f:tree()"/><b c="{f:nothing()}"/></xsl:template>
</xsl:stylesheet>
