<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:e="http://exslt.org/common">
  <!-- Grouping by a key that matches several names, or is declared more than once: the first of a group and their number need no list of the
       group for each of its members. 12.2: the node-set of all xsl:key with the name, a node once -->
  <xsl:output method="text"/>
  <xsl:key name="k" match="a | b" use="@k"/>
  <xsl:key name="again" match="b" use="@k"/>
  <xsl:key name="again" match="a" use="@k"/>
  <xsl:key name="again" match="a | c" use="@k"/>
  <xsl:variable name="made">
    <xsl:for-each select="//i"><xsl:variable name="n" select="position()"/>
      <xsl:for-each select="//i">
        <xsl:choose>
          <xsl:when test="(position() + $n) mod 5 &gt; 2"><a k="{position() mod 3}" n="{$n}.{position()}"/></xsl:when>
          <xsl:otherwise><b k="{position() mod 3}" n="{$n}.{position()}"/></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
    </xsl:for-each>
  </xsl:variable>
  <xsl:template match="/">
    <xsl:for-each select="e:node-set($made)/*[generate-id() = generate-id(key('k', @k)[1])]">
      <xsl:value-of select="concat(name(), @k, ': ', count(key('k', @k)), ' from ', key('k', @k)[1]/@n, ' to ', key('k', @k)[last()]/@n, '&#10;')"/>
    </xsl:for-each>
    <xsl:for-each select="e:node-set($made)/*[count(. | key('again', @k)[1]) = 1]">
      <xsl:value-of select="concat(@n, ' ', count(key('again', @k)), ' ', count(key('again', ../a[position() &lt; 9]/@k)), '&#10;')"/>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
