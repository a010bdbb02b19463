<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- searches for a value on the axes of a node: plan/join.c -->
<xsl:output indent="yes"/>
<xsl:template match="/">
  <out>
    <xsl:for-each select="//row | //other">
      <xsl:variable name="k" select="@k"/>
      <n v="{@v}">
        <next><xsl:value-of select="following-sibling::row[@k = current()/@k][1]/@v"/></next>
        <previous><xsl:value-of select="preceding-sibling::row[@k = $k][1]/@v"/></previous>
        <first><xsl:value-of select="preceding-sibling::row[@k = $k]/@v"/></first>
        <last><xsl:value-of select="preceding-sibling::row[@k = $k][last()]/@v"/></last>
        <second><xsl:value-of select="following::row[@k = $k][2]/@v"/></second>
        <third-before><xsl:value-of select="preceding::row[$k = @k][3]/@v"/></third-before>
        <before><xsl:for-each select="preceding::*[@k = $k]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each></before>
        <nearest><xsl:value-of select="preceding::*[@k = current()/@k][1]/@v"/></nearest>
        <behind><xsl:for-each select="following::row[@k = $k]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each></behind>
        <among><xsl:value-of select="count(../row[@k = current()/@k])"/>/<xsl:value-of select="../row[@k = current()/@k][@v > 3][1]/@v"/></among>
        <below><xsl:for-each select="..//row[@k = $k and @v > 2]"><xsl:value-of select="concat(@v, ' ')"/></xsl:for-each></below>
        <tags><xsl:value-of select="count(preceding-sibling::row[tag = current()/tag])"/> <xsl:value-of select="preceding-sibling::row[tag = current()/tag][1]/@v"/>
          <xsl:text> </xsl:text><xsl:value-of select="following::row[tag = current()/tag][1]/@v"/></tags>
        <xsl:if test="not(@k = preceding-sibling::row/@k)"><new/></xsl:if>
        <xsl:if test="preceding-sibling::*/@k = $k"><old/></xsl:if>
        <xsl:if test="preceding::row[@k = $k]"><seen/></xsl:if>
        <xsl:if test="following-sibling::row/tag = tag"><tagged/></xsl:if>
        <xsl:if test="../row = ''"><empty/></xsl:if>
        <path><xsl:for-each select="ancestor-or-self::*"><xsl:value-of select="concat('/', name(), '[', count(preceding-sibling::*[name() = name(current())]) + 1, ']')"/></xsl:for-each></path>
      </n>
    </xsl:for-each>
    <attributes><xsl:for-each select="//@k"><xsl:value-of select="concat(count(preceding-sibling::row[@k = current()]), count(following::row[@k = current()]), preceding::row[@k = current()][1]/@v, ' ')"/></xsl:for-each></attributes>
    <distinct><xsl:for-each select="//row[not(preceding::row/@k = @k)]"><xsl:value-of select="concat(@k, ' ')"/></xsl:for-each></distinct>
    <tags><xsl:for-each select="//tag[not(. = preceding::tag)]"><xsl:value-of select="concat(., ' ')"/></xsl:for-each></tags>
    <xsl:variable name="tables" select="/r | //g"/>
    <tables><xsl:for-each select="//row">
      <xsl:value-of select="concat(@v, ':', count($tables/row[@k = current()/@k]), ' ', count($tables//row[@k = current()/@k]), ' ', count($tables/row[@k = current()/@k][1]), ' ',
          $tables/row[@k = current()/@k]/@v, ' ', $tables/row/tag = tag, ' ', count($tables/none/row[@k = current()/@k]), '&#10;')"/>
    </xsl:for-each></tables>
    <none><xsl:value-of select="count(/preceding::row[@k = current()/r/row/@k])"/></none>
    <xsl:apply-templates select="//row"/>
  </out>
</xsl:template>
<xsl:template match="row[preceding-sibling::row/@k = @k]"><again v="{@v}"/></xsl:template>
<xsl:template match="row"><once v="{@v}"/></xsl:template>
</xsl:stylesheet>
