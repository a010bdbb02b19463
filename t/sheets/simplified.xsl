<html xsl:version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><p title="{a}"><xsl:value-of select="b"/></p></html>
