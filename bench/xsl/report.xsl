<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- keys, grouping, sorting, numbers: what a report does -->
<xsl:output method="xml" encoding="UTF-8"/>
<xsl:key name="person" match="person" use="@id"/>
<xsl:key name="country" match="person" use="address/country"/>
<xsl:template match="/site">
  <report people="{count(people/person)}" mean-price="{format-number(sum(closed_auctions/closed_auction/price) div count(closed_auctions/closed_auction), '0.00')}">
    <xsl:for-each select="people/person[address][generate-id() = generate-id(key('country', address/country)[1])]">
      <xsl:sort select="count(key('country', address/country))" data-type="number" order="descending"/>
      <country name="{address/country}" people="{count(key('country', address/country))}"/>
    </xsl:for-each>
    <xsl:apply-templates select="closed_auctions/closed_auction[price &gt; 350]"><xsl:sort select="price" data-type="number" order="descending"/></xsl:apply-templates>
  </report>
</xsl:template>
<xsl:template match="closed_auction">
  <sale rank="{position()}" price="{price}"><seller><xsl:value-of select="key('person', seller/@person)/name"/></seller><buyer><xsl:value-of select="key('person', buyer/@person)/name"/></buyer></sale>
</xsl:template>
</xsl:stylesheet>
