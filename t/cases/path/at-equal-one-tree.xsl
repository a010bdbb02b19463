<!-- [position() = $i], whatever $i is, and places among the children of each of several nodes that are the same for all rows: /t/g/x[$i]: of one tree, what needs no host step -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:for-each select="/t/g">
      <xsl:variable name="p" select="position()"/>
      <xsl:variable name="set" select="@*"/>
      <xsl:variable name="one" select="@n"/>
      <xsl:variable name="fragment"><xsl:value-of select="@m"/></xsl:variable>
      <xsl:for-each select="/t/g/x[$p]|/t/g/x[position() = $p + 1]"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/g/x[position() = $set]"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/g/x[$one = position()][. &gt; '']"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/g/x[position() = $fragment][1]"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/g[position() = $set]/x[position() = $set]"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="(//x)[position() = $set]"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="../g[position() = current()/@*]"><xsl:value-of select="count(x)"/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/g/x[position() &gt; $p and position() &lt;= $p + 2]"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="x[position() = $set]|preceding-sibling::g[position() = $set]/x"><xsl:value-of select="."/></xsl:for-each>;<xsl:text/>
      <xsl:call-template name="any"><xsl:with-param name="i" select="$p"/></xsl:call-template>
      <xsl:call-template name="any"><xsl:with-param name="i" select="@m = 1"/></xsl:call-template>
      <xsl:call-template name="any"><xsl:with-param name="i" select="string(@m)"/></xsl:call-template>
      <xsl:call-template name="any"><xsl:with-param name="i" select="@*"/></xsl:call-template>
      <xsl:call-template name="any"><xsl:with-param name="i" select="x/@none"/></xsl:call-template>
      <xsl:call-template name="any"><xsl:with-param name="i" select="$fragment"/></xsl:call-template>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each>
    <xsl:for-each select="/t/g[1]">
      <xsl:variable name="p" select="count(x) - 1"/>
      <xsl:for-each select="/t/g/x[$p]"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/g/x[position() &gt;= $p]"><xsl:value-of select="."/></xsl:for-each>;<xsl:text/>
    </xsl:for-each>
    <xsl:call-template name="loop"><xsl:with-param name="i" select="1"/></xsl:call-template>
    <xsl:text>&#10;</xsl:text>
  </xsl:template>
  <xsl:template name="any">
    <xsl:param name="i"/>
    <xsl:for-each select="/t/g/x[position() = $i]"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
    <xsl:for-each select="/t/g/x[$i]"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
    <xsl:for-each select="/t/g[position() = $i]/x"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
    <xsl:for-each select="x[position() = $i]"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
    <xsl:value-of select="count(//x[position() = $i])"/>;<xsl:text/>
  </xsl:template>
  <xsl:template name="loop">
    <xsl:param name="i"/>
    <xsl:if test="$i &lt;= count(/t/g)">
      <xsl:for-each select="/t/g[$i]/x"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/g/x[$i]"><xsl:value-of select="."/></xsl:for-each>,<xsl:text/>
      <xsl:for-each select="/t/g/x[position() = $i or position() = 1]"><xsl:value-of select="."/></xsl:for-each>;<xsl:text/>
      <xsl:call-template name="loop"><xsl:with-param name="i" select="$i + 1"/></xsl:call-template>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
