<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<!-- XML 1.0, [13] PubidChar: neither & nor <; a parser refuses the document. -->
<xsl:output doctype-public="-//A &amp; B//DTD o//EN" doctype-system="o.dtd"/>
<xsl:template match="/"><o/></xsl:template>
</xsl:stylesheet>
