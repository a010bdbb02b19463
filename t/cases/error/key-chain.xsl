<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- 33 keys of which each needs the next: one more than may wait for one another -->
  <xsl:key name="k0" match="r" use="concat(@a, count(key('k1', 1)))"/>
  <xsl:key name="k1" match="r" use="concat(@a, count(key('k2', 1)))"/>
  <xsl:key name="k2" match="r" use="concat(@a, count(key('k3', 1)))"/>
  <xsl:key name="k3" match="r" use="concat(@a, count(key('k4', 1)))"/>
  <xsl:key name="k4" match="r" use="concat(@a, count(key('k5', 1)))"/>
  <xsl:key name="k5" match="r" use="concat(@a, count(key('k6', 1)))"/>
  <xsl:key name="k6" match="r" use="concat(@a, count(key('k7', 1)))"/>
  <xsl:key name="k7" match="r" use="concat(@a, count(key('k8', 1)))"/>
  <xsl:key name="k8" match="r" use="concat(@a, count(key('k9', 1)))"/>
  <xsl:key name="k9" match="r" use="concat(@a, count(key('k10', 1)))"/>
  <xsl:key name="k10" match="r" use="concat(@a, count(key('k11', 1)))"/>
  <xsl:key name="k11" match="r" use="concat(@a, count(key('k12', 1)))"/>
  <xsl:key name="k12" match="r" use="concat(@a, count(key('k13', 1)))"/>
  <xsl:key name="k13" match="r" use="concat(@a, count(key('k14', 1)))"/>
  <xsl:key name="k14" match="r" use="concat(@a, count(key('k15', 1)))"/>
  <xsl:key name="k15" match="r" use="concat(@a, count(key('k16', 1)))"/>
  <xsl:key name="k16" match="r" use="concat(@a, count(key('k17', 1)))"/>
  <xsl:key name="k17" match="r" use="concat(@a, count(key('k18', 1)))"/>
  <xsl:key name="k18" match="r" use="concat(@a, count(key('k19', 1)))"/>
  <xsl:key name="k19" match="r" use="concat(@a, count(key('k20', 1)))"/>
  <xsl:key name="k20" match="r" use="concat(@a, count(key('k21', 1)))"/>
  <xsl:key name="k21" match="r" use="concat(@a, count(key('k22', 1)))"/>
  <xsl:key name="k22" match="r" use="concat(@a, count(key('k23', 1)))"/>
  <xsl:key name="k23" match="r" use="concat(@a, count(key('k24', 1)))"/>
  <xsl:key name="k24" match="r" use="concat(@a, count(key('k25', 1)))"/>
  <xsl:key name="k25" match="r" use="concat(@a, count(key('k26', 1)))"/>
  <xsl:key name="k26" match="r" use="concat(@a, count(key('k27', 1)))"/>
  <xsl:key name="k27" match="r" use="concat(@a, count(key('k28', 1)))"/>
  <xsl:key name="k28" match="r" use="concat(@a, count(key('k29', 1)))"/>
  <xsl:key name="k29" match="r" use="concat(@a, count(key('k30', 1)))"/>
  <xsl:key name="k30" match="r" use="concat(@a, count(key('k31', 1)))"/>
  <xsl:key name="k31" match="r" use="concat(@a, count(key('k32', 1)))"/>
  <xsl:key name="k32" match="r" use="@a"/>
  <xsl:template match="/"><xsl:value-of select="count(key('k0', '10'))"/></xsl:template>
</xsl:stylesheet>
