<o xsl:version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" n="{count(//i)}"><xsl:for-each select="//i"><e><xsl:value-of select="."/></e></xsl:for-each></o>
