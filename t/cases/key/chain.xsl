<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <!-- Each key's value needs the next one: twenty levels, on every team. -->
  <xsl:key name="k0" match="i" use="concat(@a, count(key('k1', 1)))"/>
  <xsl:key name="k1" match="i" use="concat(@a, count(key('k2', 1)))"/>
  <xsl:key name="k2" match="i" use="concat(@a, count(key('k3', 1)))"/>
  <xsl:key name="k3" match="i" use="concat(@a, count(key('k4', 1)))"/>
  <xsl:key name="k4" match="i" use="concat(@a, count(key('k5', 1)))"/>
  <xsl:key name="k5" match="i" use="concat(@a, count(key('k6', 1)))"/>
  <xsl:key name="k6" match="i" use="concat(@a, count(key('k7', 1)))"/>
  <xsl:key name="k7" match="i" use="concat(@a, count(key('k8', 1)))"/>
  <xsl:key name="k8" match="i" use="concat(@a, count(key('k9', 1)))"/>
  <xsl:key name="k9" match="i" use="concat(@a, count(key('k10', 1)))"/>
  <xsl:key name="k10" match="i" use="concat(@a, count(key('k11', 1)))"/>
  <xsl:key name="k11" match="i" use="concat(@a, count(key('k12', 1)))"/>
  <xsl:key name="k12" match="i" use="concat(@a, count(key('k13', 1)))"/>
  <xsl:key name="k13" match="i" use="concat(@a, count(key('k14', 1)))"/>
  <xsl:key name="k14" match="i" use="concat(@a, count(key('k15', 1)))"/>
  <xsl:key name="k15" match="i" use="concat(@a, count(key('k16', 1)))"/>
  <xsl:key name="k16" match="i" use="concat(@a, count(key('k17', 1)))"/>
  <xsl:key name="k17" match="i" use="concat(@a, count(key('k18', 1)))"/>
  <xsl:key name="k18" match="i" use="concat(@a, count(key('k19', 1)))"/>
  <xsl:key name="k19" match="i" use="@a"/>
  <xsl:template match="/">
    <xsl:value-of select="count(key('k0', '10'))"/>;<xsl:value-of select="count(key('k0', '12'))"/>
    <xsl:for-each select="//i[key('k1', concat(@a, 0))]">;<xsl:value-of select="sum(key('k2', '12')/@a) + count(key('k3', concat(@a, '2')))"/></xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
