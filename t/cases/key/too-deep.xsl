<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:key name="k0" match="e" use="@v"/>
<xsl:key name="k1" match="e" use="count(key('k0', @v))"/>
<xsl:key name="k2" match="e" use="count(key('k1', @v))"/>
<xsl:key name="k3" match="e" use="count(key('k2', @v))"/>
<xsl:key name="k4" match="e" use="count(key('k3', @v))"/>
<xsl:key name="k5" match="e" use="count(key('k4', @v))"/>
<xsl:key name="k6" match="e" use="count(key('k5', @v))"/>
<xsl:key name="k7" match="e" use="count(key('k6', @v))"/>
<xsl:key name="k8" match="e" use="count(key('k7', @v))"/>
<xsl:key name="k9" match="e" use="count(key('k8', @v))"/>
<xsl:key name="k10" match="e" use="count(key('k9', @v))"/>
<xsl:key name="k11" match="e" use="count(key('k10', @v))"/>
<xsl:key name="k12" match="e" use="count(key('k11', @v))"/>
<xsl:key name="k13" match="e" use="count(key('k12', @v))"/>
<xsl:key name="k14" match="e" use="count(key('k13', @v))"/>
<xsl:key name="k15" match="e" use="count(key('k14', @v))"/>
<xsl:key name="k16" match="e" use="count(key('k15', @v))"/>
<xsl:key name="k17" match="e" use="count(key('k16', @v))"/>
<xsl:key name="k18" match="e" use="count(key('k17', @v))"/>
<xsl:key name="k19" match="e" use="count(key('k18', @v))"/>
<xsl:key name="k20" match="e" use="count(key('k19', @v))"/>
<xsl:key name="k21" match="e" use="count(key('k20', @v))"/>
<xsl:key name="k22" match="e" use="count(key('k21', @v))"/>
<xsl:key name="k23" match="e" use="count(key('k22', @v))"/>
<xsl:key name="k24" match="e" use="count(key('k23', @v))"/>
<xsl:key name="k25" match="e" use="count(key('k24', @v))"/>
<xsl:key name="k26" match="e" use="count(key('k25', @v))"/>
<xsl:key name="k27" match="e" use="count(key('k26', @v))"/>
<xsl:key name="k28" match="e" use="count(key('k27', @v))"/>
<xsl:key name="k29" match="e" use="count(key('k28', @v))"/>
<xsl:key name="k30" match="e" use="count(key('k29', @v))"/>
<xsl:key name="k31" match="e" use="count(key('k30', @v))"/>
<xsl:key name="k32" match="e" use="count(key('k31', @v))"/>
<xsl:key name="k33" match="e" use="count(key('k32', @v))"/>
<xsl:key name="k34" match="e" use="count(key('k33', @v))"/>
<xsl:key name="k35" match="e" use="count(key('k34', @v))"/>
<xsl:key name="k36" match="e" use="count(key('k35', @v))"/>
<xsl:key name="k37" match="e" use="count(key('k36', @v))"/>
<xsl:key name="k38" match="e" use="count(key('k37', @v))"/>
<xsl:key name="k39" match="e" use="count(key('k38', @v))"/>
<xsl:template match="/"><xsl:value-of select="count(key('k39', 1))"/></xsl:template>
</xsl:stylesheet>
