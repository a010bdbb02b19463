<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- contexts with more children or descendants than one member of a team should walk -->
<xsl:output method="text"/>
<xsl:template match="/">
  <xsl:value-of select="concat(count(//*/node()), ' ', count(//*[text()]), ' ', count(//*[r]), ' ', count(//*/r), ' ', count(//node()/descendant::text()))"/>
  <xsl:text>&#10;</xsl:text>
  <xsl:value-of select="concat(count(//*/descendant::*), ' ', count(//*/descendant-or-self::r), ' ', count(//r/following::*), ' ', count(//empty/preceding::*), ' ', count(//r/preceding::x))"/>
  <xsl:text>&#10;</xsl:text>
  <xsl:value-of select="concat(count(//text()/..), ' ', count(//@i/parent::r), ' ', count(//*/@i), ' ', count(//*/self::r), ' ', count(//r/ancestor::*), ' ', count(//r/parent::text()), ' ', count(//*/self::comment()))"/>
  <xsl:text>&#10;</xsl:text>
  <xsl:for-each select="//*[count(r) > 60]/*[position() mod 100 = 1]">
    <xsl:value-of select="concat(@i, '/', position(), '/', count(following-sibling::*), '/', count(following::node()), '/', count(preceding::text()), ' ')"/>
  </xsl:for-each>
  <xsl:text>&#10;</xsl:text>
  <xsl:value-of select="concat(//*/r[3]/@i, ' ', //*/r[last()]/@i, ' ', count(//*/descendant::r[2]), ' ', count((//@* | //list)/descendant-or-self::node()))"/>
  <xsl:text>&#10;</xsl:text>
  <xsl:apply-templates select="/*"/>
</xsl:template>
<xsl:template match="*"><xsl:value-of select="concat(name(), count(node()), ' ')"/><xsl:apply-templates select="*[position() = 1 or position() = last()]"/></xsl:template>
</xsl:stylesheet>
