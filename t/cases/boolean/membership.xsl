<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- count(.|S) = count(S): is the node in S? What of it is a membership test, what only looks like one, and an empty S -->
<xsl:output method="text"/>
<xsl:key name="k" match="n" use="@k"/>
<xsl:variable name="none" select="/.."/>
<xsl:template name="ids"><xsl:param name="of"/><xsl:for-each select="$of"><xsl:value-of select="@id"/><xsl:text> </xsl:text></xsl:for-each><xsl:text>;&#10;</xsl:text></xsl:template>
<xsl:template match="/r">
<xsl:variable name="a" select="n[@id &lt; 5]"/>
<xsl:variable name="b" select="n[@id > 2]"/>
<xsl:text>intersection </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="$a[count(.|$b)=count($b)]"/></xsl:call-template>
<xsl:text>difference </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="$a[count(.|$b)!=count($b)]"/></xsl:call-template>
<xsl:text>other order </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="$a[count($b)=count($b|.)]"/></xsl:call-template>
<xsl:text>greater </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="$a[count(.|$b)>count($b)]"/></xsl:call-template>
<xsl:text>less </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="$a[count($b) &lt; count(.|$b)]"/></xsl:call-template>
<xsl:text>at most </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="$a[count(.|$b) &lt;= count($b)]"/></xsl:call-template>
<xsl:text>at least: all </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="$a[count(.|$b) >= count($b)]"/></xsl:call-template>
<xsl:text>never </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="$a[count(.|$b) &lt; count($b)]"/></xsl:call-template>
<xsl:text>in none </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="$a[count(.|$none)=count($none)]"/></xsl:call-template>
<xsl:text>not in none </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="$a[count(.|$none)!=count($none)]"/></xsl:call-template>
<xsl:text>two sets, not a test </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="n[count(.|$a)=count($b)]"/></xsl:call-template>
<xsl:text>no node beside the set </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="n[count(@none|$b)=count($b)]"/></xsl:call-template>
<xsl:text>of three </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="n[count($none|.|$b)=count($none|$b)]"/></xsl:call-template>
<xsl:text>itself </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="n[count(.|.)=count(.)]"/></xsl:call-template>
<xsl:text>of the current node </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="*[count(.|current()/m)=count(current()/m)]"/></xsl:call-template>
<xsl:text>of all </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="*[count(.|//n[@k='x'])=count(//n[@k='x'])]"/></xsl:call-template>
<xsl:text>of a key </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="*[count(.|key('k','x'))=count(key('k','x'))]"/></xsl:call-template>
<xsl:text>of the node's own </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="n[count(.|key('k',@k)[last()])=count(key('k',@k)[last()])]"/></xsl:call-template>
<xsl:text>current() among others </xsl:text><xsl:for-each select="n"><xsl:value-of select="count($b[count(current()|preceding-sibling::n)=count(preceding-sibling::n)])"/></xsl:for-each>
<xsl:variable name="even" select="i[position() mod 2 = 0]"/>
<xsl:text>&#10;among many </xsl:text><xsl:for-each select="i[count(.|$even)=count($even)]"><xsl:value-of select="concat(count(preceding-sibling::i), ' ')"/></xsl:for-each>
<xsl:text>&#10;position </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="n[count(.|$b)=count($b)][2]"/></xsl:call-template>
<xsl:text>attributes </xsl:text><xsl:value-of select="count(n/@*[count(.|../@id)=count(../@id)])"/>
<xsl:text>&#10;groups </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="n[generate-id()=generate-id(key('k',@k)[1])]"/></xsl:call-template>
<xsl:text>others </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="n[generate-id(key('k',@k)[1])!=generate-id(.)]"/></xsl:call-template>
<xsl:text>before none </xsl:text><xsl:call-template name="ids"><xsl:with-param name="of" select="n[generate-id()!=generate-id(preceding-sibling::none[1])]"/></xsl:call-template>
<xsl:text>grouping by siblings</xsl:text><xsl:for-each select="m"><xsl:text> </xsl:text><xsl:value-of select="count(../n[generate-id(preceding-sibling::m[1])=generate-id(current())])"/></xsl:for-each>
</xsl:template>
</xsl:stylesheet>
