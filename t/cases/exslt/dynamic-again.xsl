<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dyn="http://exslt.org/dynamic"
    xmlns:exsl="http://exslt.org/common" xmlns:str="http://exslt.org/strings" exclude-result-prefixes="dyn exsl str">
<xsl:output omit-xml-declaration="yes"/>
<!-- the expression makes a document, then finds that $rows is not there yet, which makes another one, and is evaluated again -->
<xsl:variable name="fragment"><a>A</a><b>B</b><c>C</c></xsl:variable>
<xsl:variable name="rows" select="exsl:node-set($fragment)/*"/>
<xsl:template match="/">
<xsl:variable name="all" select="dyn:evaluate('str:tokenize(&quot;x y&quot;) | $rows')"/>
<out n="{count($all)}"><xsl:copy-of select="$all[self::token]"/><xsl:copy-of select="$all[not(self::token)]"/></out>
</xsl:template>
</xsl:stylesheet>
