#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuxslt takes xsltproc's everyday options, gives its exit numbers, and writes a whole result or none."""
import gzip, json, os, re, resource, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPUXSLT = ROOT + "/build/gpuxslt"
if not os.path.exists(GPUXSLT):
    print("1..0 # SKIP build/gpuxslt is not there")
    sys.exit(0)

XSL = 'xmlns:xsl="http://www.w3.org/1999/XSL/Transform"'
FILES = {
    "s.xsl": '<xsl:stylesheet version="1.0" %s><xsl:output method="text"/><xsl:param name="p" select="\'none\'"/>'
             '<xsl:template match="/"><xsl:value-of select="concat(count(//i), \':\', '
             '$p)"/></xsl:template></xsl:stylesheet>' % XSL,
    "message.xsl": '<x xsl:version="1.0" %s><xsl:message>hello</xsl:message></x>' % XSL,
    "stop.xsl": '<x xsl:version="1.0" %s>before<xsl:message terminate="yes">stop</xsl:message></x>' % XSL,
    "markup.xsl": '<x xsl:version="1.0" %s><xsl:message>1 &lt; 2 &amp; 3 &gt; 2 \u20ac]]&gt; <i x="1">a <xsl:value-of '
                  'select="//i[2]"/></i>'
                  '<xsl:comment>c</xsl:comment><xsl:processing-instruction name="p">d</xsl:processing-instruction> '
                  'b</xsl:message>'
                  '<xsl:message/><xsl:message>line\n</xsl:message><xsl:message>end</xsl:message></x>' % XSL,
    "with space.xml": "<r><i/><i/><i/></r>",
    "path.xsl": '<xsl:stylesheet version="1.0" %s><xsl:import href="up/in-lib.xsl"/></xsl:stylesheet>' % XSL,
    "lib/in-lib.xsl": '<xsl:stylesheet version="1.0" %s><xsl:output method="text"/><xsl:template '
                      'match="/"><xsl:value-of select="count(//i)"/>:'
                      '<xsl:value-of select="document(\'other/in-lib.xml\')/in"/></xsl:template></xsl:stylesheet>'
                          % XSL,
    "lib/in-lib.xml": "<in>in lib<i/></in>",
    "lib/three": "<i/><i/><i/>",
    "entity-elsewhere.xml": '<!DOCTYPE r [<!ENTITY e SYSTEM "gone/three">]><r>&e;</r>',
    "vendor.xsl": """<xsl:stylesheet version="1.0" %s xmlns:dyn="http://exslt.org/dynamic"><xsl:output method="text"/><xsl:template match="/">
<xsl:variable name="v" select="//r[1]/@none"/><xsl:value-of select="concat(system-property('xsl:vendor'), ' ', system-property('xsl:vendor-url'), ' ')"/>
<xsl:value-of select="concat(dyn:evaluate(concat('system-property(', &quot;'xsl:vendor'&quot;, ')')), ' ',
system-property(concat($v, 'xsl:version')), ' ', system-property(concat($v, 'xsl:none')))"/></xsl:template></xsl:stylesheet>""" % XSL,
    "no-function.xsl": '<x xsl:version="1.0" %s><xsl:value-of select="nosuch()"/></x>' % XSL,
    "no-template.xsl": '<x xsl:version="1.0" %s><xsl:call-template name="nosuch"/></x>' % XSL,
    "no-import.xsl": '<xsl:stylesheet version="1.0" %s><xsl:import href="nosuch.xsl"/></xsl:stylesheet>' % XSL,
    "bad-import.xsl": '<xsl:stylesheet version="1.0" %s><xsl:import href="broken.xsl"/></xsl:stylesheet>' % XSL,
    "stop-empty.xsl": '<x xsl:version="1.0" %s>before<xsl:message terminate="yes"/></x>' % XSL,
    "once.xsl": '''<xsl:stylesheet version="1.0" %s><xsl:variable name="g"><xsl:message>g</xsl:message><a/></xsl:variable>
<xsl:template match="/"><xsl:variable name="v"><xsl:message>v</xsl:message><x/></xsl:variable>
<xsl:variable name="unused"><xsl:message>unused</xsl:message>x</xsl:variable>
<xsl:variable name="s"><xsl:message>s</xsl:message>x</xsl:variable>
<out><xsl:copy-of select="$v"/><xsl:copy-of select="$v"/><xsl:value-of select="$s"/><xsl:value-of select="$s"/>
<xsl:call-template name="t"><xsl:with-param name="p"><xsl:message>p</xsl:message><y/></xsl:with-param></xsl:call-template>
<xsl:copy-of select="$g"/><xsl:copy-of select="$g"/><xsl:message>end</xsl:message></out></xsl:template>
<xsl:template name="t"><xsl:param name="p"/><xsl:copy-of select="$p"/><xsl:copy-of select="$p"/></xsl:template></xsl:stylesheet>''' % XSL,
    "say.xsl": '''<xsl:stylesheet version="1.0" %s xmlns:func="http://exslt.org/functions" xmlns:f="urn:f" extension-element-prefixes="func">
<xsl:output method="text"/><func:function name="f:f"><xsl:param name="n"/>
<xsl:variable name="v"><xsl:message>v<xsl:value-of select="$n"/></xsl:message></xsl:variable><xsl:message>m<xsl:value-of select="$n"/></xsl:message>
<xsl:if test="$n = 3"><xsl:message terminate="yes">three</xsl:message></xsl:if><func:result><xsl:message>r</xsl:message>1</func:result></func:function>
<xsl:param name="p" select="2"/>
<xsl:template match="/"><xsl:message>start</xsl:message><xsl:value-of select="f:f(1) + f:f($p)"/></xsl:template></xsl:stylesheet>''' % XSL,
    "choice.xsl": '''<xsl:stylesheet version="1.0" %s><xsl:template match="i">
<xsl:value-of select="count(//i[@k = current()/@k][@v > current()/@v])"/></xsl:template></xsl:stylesheet>''' % XSL,
    "global.xsl": '''<xsl:stylesheet version="1.0" %s><xsl:output method="text"/>
<xsl:param name="p">a<xsl:message>a</xsl:message></xsl:param>
<xsl:variable name="unused"><xsl:message>no</xsl:message></xsl:variable>
<xsl:variable name="empty"><xsl:apply-templates select="/r/i[2]" mode="m"/></xsl:variable>
<xsl:variable name="quiet"><xsl:if test="/s"><xsl:message>no</xsl:message></xsl:if><xsl:apply-templates select="/r/i[1]"/></xsl:variable>
<xsl:template match="i"><xsl:value-of select="."/></xsl:template><xsl:template match="i" mode="m"><xsl:message>b</xsl:message></xsl:template>
<xsl:template match="/"><xsl:value-of select="concat($p, 'b', $quiet, $empty)"/><xsl:message>last</xsl:message></xsl:template></xsl:stylesheet>''' % XSL,
    "with.xsl": '''<xsl:stylesheet version="1.0" %s xmlns:func="http://exslt.org/functions" xmlns:f="urn:f" extension-element-prefixes="func">
<xsl:output method="text"/><xsl:template match="/"><xsl:message>0</xsl:message>
<xsl:apply-templates select="//i | //i/text()"><xsl:with-param name="p"><xsl:message>i</xsl:message></xsl:with-param></xsl:apply-templates>
<xsl:for-each select="//i"><xsl:call-template name="t"><xsl:with-param name="none"><xsl:message>n<xsl:value-of select="."/></xsl:message></xsl:with-param>
<xsl:with-param name="q"><xsl:message>q<xsl:value-of select="."/></xsl:message></xsl:with-param></xsl:call-template></xsl:for-each>
<xsl:value-of select="f:f()"/></xsl:template><xsl:template match="i">i</xsl:template>
<xsl:template name="t"><xsl:param name="p"><xsl:message>p</xsl:message></xsl:param><xsl:param name="q"/><xsl:copy-of select="$q"/>
<xsl:message>t</xsl:message></xsl:template><xsl:template name="u"/>
<func:function name="f:f"><xsl:call-template name="u"><xsl:with-param name="p"><xsl:message>f</xsl:message></xsl:with-param></xsl:call-template></func:function>
</xsl:stylesheet>''' % XSL,
    "evaluate.xsl": '''<xsl:stylesheet version="1.0" %s xmlns:dyn="http://exslt.org/dynamic"><xsl:output method="text"/>
<xsl:variable name="g"><xsl:message>g</xsl:message>1</xsl:variable>
<xsl:template match="/"><xsl:value-of select="dyn:evaluate(concat('$', 'g'))"/></xsl:template></xsl:stylesheet>''' % XSL,
    "unused.xsl": '''<x xsl:version="1.0" %s><xsl:variable name="a"><xsl:message>a</xsl:message></xsl:variable>
<xsl:message>1<xsl:variable name="m"><xsl:message>m</xsl:message></xsl:variable></xsl:message>
<xsl:for-each select="//i"><xsl:variable name="i"><x><xsl:message>i<xsl:value-of select="."/></xsl:message></x></xsl:variable>
<xsl:if test="@a"><xsl:variable name="b"><xsl:message>b</xsl:message></xsl:variable></xsl:if>
<xsl:copy><xsl:attribute name="c"><xsl:variable name="c"><xsl:message>c</xsl:message></xsl:variable></xsl:attribute></xsl:copy></xsl:for-each>
<xsl:variable name="o"><xsl:variable name="i"><xsl:message>inner</xsl:message></xsl:variable></xsl:variable>
<xsl:variable name="s"><xsl:message terminate="yes">stop</xsl:message></xsl:variable><xsl:message>never</xsl:message></x>''' % XSL,
    "base.xml": '<!DOCTYPE r [<!ENTITY e SYSTEM "sub/base">]><r f="n.xml"><a f="n.xml">&e;</a>&e;<b f="n.xml"/></r>',
    "sub/base": 'n.xml<p f="n.xml"><q f="n.xml"/></p><?p n.xml?>',
    "n.xml": "<n>main</n>", "sub/n.xml": "<n>sub</n>",
    "base.xsl": '''<xsl:stylesheet version="1.0" %s><xsl:output method="text"/><xsl:template match="/">
<xsl:for-each select="//@f | //text() | //processing-instruction()"><xsl:value-of select="concat(document(.), ' ', document('n.xml', .), ' ',
  count(document('', .)/r), '|')"/></xsl:for-each></xsl:template></xsl:stylesheet>''' % XSL,
    "parts.xsl": '''<!DOCTYPE x [<!ENTITY part SYSTEM "sub/part.xsl">]><xsl:stylesheet version="1.0" %s>&part;
<xsl:template match="/"><xsl:call-template name="n"/><xsl:value-of select="concat(document('n.xml'), count(document('')/*/xsl:template))"/>
</xsl:template></xsl:stylesheet>''' % XSL,
    "sub/part.xsl": '''<xsl:include %s href="../s-out.xsl"/>
<xsl:template %s name="n"><xsl:value-of select="concat(document('n.xml'), count(document('')/*/xsl:template))"/>
<xsl:message><xsl:if test="//@a"><xsl:value-of select="id()"/></xsl:if></xsl:message></xsl:template>''' % (XSL, XSL),
    "s-out.xsl": '<xsl:stylesheet version="1.0" %s><xsl:output method="text"/></xsl:stylesheet>' % XSL,
    "guard.xsl": '''<xsl:stylesheet version="1.0" %s><xsl:template match="/">
<xsl:if test="not(/none)"><xsl:message terminate="yes">none is missing</xsl:message></xsl:if><xsl:call-template name="a"/></xsl:template>
<xsl:template name="a">\n<xsl:call-template name="a"/></xsl:template></xsl:stylesheet>''' % XSL,
    "late.xsl": '<x xsl:version="1.0" %s>\n<xsl:for-each select="//i">.<xsl:copy-of select="@a"/>\n<xsl:attribute '
                'name="b">1</xsl:attribute></xsl:for-each></x>' % XSL,
    "name.xsl": '<x xsl:version="1.0" %s>\n<xsl:attribute name="a b">1</xsl:attribute></x>' % XSL,
    "name.xml": '<r \u00e9="1"/>',
    "lost.xsl": '<xsl:stylesheet version="1.0" %s><xsl:output method="text" encoding="us-ascii"/><xsl:template '
                'match="/">a&#8211;b&#233;</xsl:template></xsl:stylesheet>' % XSL,
    "ns.xsl": '<x:stylesheet version="1.0" %s xmlns:n="urn:n"><x:output method="text"/><x:param name="n:p" select="0"/>'
              '<x:param name="p" select="0"/><x:template match="/"><x:value-of select="concat($n:p, '
              '$p)"/></x:template></x:stylesheet>'
              % XSL.replace(":xsl=", ":x="),
    "rtf.xsl": '<x xsl:version="1.0" %s><xsl:variable name="v"><a/></xsl:variable>\n<xsl:value-of select="$v/a"/></x>'
    % XSL,
    "broken.xsl": '<x xsl:version="1.0" %s>' % XSL,
    "wrong.xsl": '<x xsl:version="1.0" %s>\n  <xsl:value-of select="1 +"/></x>' % XSL,
    "loop.xsl": '<xsl:stylesheet version="1.0" %s><xsl:template match="/" name="a"><xsl:call-template '
                'name="a"/></xsl:template></xsl:stylesheet>' % XSL,
    "stack.xsl": '<xsl:stylesheet version="1.0" %s>\n<xsl:import href="sub/lib.xsl"/>\n<xsl:template '
                 'match="r"><xsl:call-template name="lib"/>'
                 '</xsl:template>\n<xsl:template name="deep"><xsl:call-template '
                 'name="fail"/></xsl:template></xsl:stylesheet>' % XSL,
    "sub/lib.xsl": '<xsl:stylesheet version="1.0" %s xmlns:x="urn:x">\n<xsl:template name="lib"><xsl:call-template '
                   'name="deep"/></xsl:template>\n'
                   '<xsl:template name="fail"><xsl:value-of select="x:no(1)"/></xsl:template></xsl:stylesheet>' % XSL,
    "wide.xsl": '<x xsl:version="1.0" %s %s/>' % (XSL, " ".join('a%d=""' % i for i in range(1100))),
    "beyond.xml": "<r><%s/>%s%s<x %s/>%s</r>" % ("n" * 100000, "<d>" * 20000, "</d>" * 20000,
                                                 " ".join("a%d=''" % i for i in range(5000)), "<i/>" * 20000),
    "d.xml": '<r xmlns:n="urn:n"><i>1</i><i a="2">two</i><n:k/></r>',
    "broken.xml": "<r>\n<i></r>",
    "named.xml": '<?xml-stylesheet type="text/xsl" href="s.xsl"?><r><i/></r>',
    "named-css.xml": '<?xml-stylesheet type="text/css" href="s.css"?><r/>',
    "embedded.xml": '<?xml-stylesheet href="#css" type="text/css"?><?xml-stylesheet type = "text/xsl; charset=utf-8" '
                    'href = "#s"?>'
                    '<r><xsl:stylesheet id="s" version="1.0" '
                    'xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>'
                    '<xsl:template match="/">embedded</xsl:template></xsl:stylesheet></r>',
    "tree.xsl": '<xsl:stylesheet version="1.0" %s xmlns:k="urn:k"><xsl:output method="text" '
                'encoding="US-ASCII"/><xsl:template match="/"><xsl:message>one</xsl:message>'
                'lead<s> <k:a xml:space="default" x="&#233;"><xsl:text> '
                '</xsl:text><k:b/><xsl:text>&#10;</xsl:text><xsl:comment>c</xsl:comment><xsl:text> </xsl:text></k:a>'
                '<p xml:space="preserve"> <q xml:space="default"><xsl:text> </xsl:text></q></p><t> <xsl:value-of '
                'select="/.."/><xsl:text> </xsl:text>x<xsl:text> </xsl:text></t>'
                '<xsl:processing-instruction name="i">d</xsl:processing-instruction></s><xsl:text> '
                '</xsl:text></xsl:template></xsl:stylesheet>' % XSL,
    "strip.xsl": '<xsl:stylesheet version="1.0" %s xmlns:k="urn:k"><xsl:strip-space elements="*"/><xsl:preserve-space '
                 'elements="q"/><xsl:output omit-xml-declaration="yes"/>'
                 '<xsl:template match="/"><xsl:message>two</xsl:message><xsl:for-each select="//node()"><xsl:value-of '
                 'select="concat(name(), \'[\', ., \']\', @x)"/></xsl:for-each>'
                 '</xsl:template></xsl:stylesheet>' % XSL,
    "axis.xsl": '<o xsl:version="1.0" %s><xsl:value-of select="count(//namespace::*)"/>,<xsl:value-of '
                'select="count(//node() | //@*)"/>,<xsl:value-of select="count(id(1))"/></o>' % XSL,
    "grow.xsl": '<xsl:stylesheet version="1.0" %s><xsl:template match="/"><r><xsl:for-each '
                'select="//node()"><xsl:copy-of select="/"/></xsl:for-each></r></xsl:template></xsl:stylesheet>' % XSL,
    "ends.xsl": '<xsl:stylesheet version="1.0" %s><xsl:template match="/"><xsl:message terminate="yes">the '
                'end</xsl:message></xsl:template></xsl:stylesheet>' % XSL,
    "entity.xml": '<!DOCTYPE r [<!ENTITY e SYSTEM "sub/part">]><r>&e;</r>',
    "undeclared.xml": '<!DOCTYPE r SYSTEM "sub/dtd"><r>&e;&none;</r>',
    "no-dtd.xml": '<!DOCTYPE r SYSTEM "sub/nosuch.dtd"><r a="x&none;y">1&none;2<b/></r>',
    "no-dtd-text.xml": '<!DOCTYPE r SYSTEM "sub/nosuch.dtd" [<!ENTITY e "<i a=\'&none;\'/>">]><r>&e;</r>',
    "no-dtd-standalone.xml": '<?xml version="1.0" standalone="yes"?><!DOCTYPE r SYSTEM "sub/nosuch.dtd"><r>&none;</r>',
    "id.xsl": '<xsl:stylesheet version="1.0" %s><xsl:output omit-xml-declaration="yes"/><xsl:template '
              'match="/"><xsl:copy-of select="."/></xsl:template></xsl:stylesheet>' % XSL,
    "unread.xml": '<!DOCTYPE a SYSTEM "sections.dtd" [<!ENTITY % extra SYSTEM "is-not-there.ent">\n%extra;]><a '
                  'kind="x">text</a>',
    "sections.dtd": '<!ENTITY % drafts "IGNORE"><![%drafts;[<!ELEMENT draft (#PCDATA)>]]><!ATTLIST a kind CDATA '
                    '#IMPLIED>',
    "unread-later.xml": '<!DOCTYPE a [<!ENTITY % p SYSTEM "is-not-there.ent">%p;<!ENTITY e "later"><!ATTLIST a d CDATA '
                        '"def">]><a>1&e;2</a>',
    "unread-text.xml": '<!DOCTYPE a [<!ENTITY e SYSTEM "is-not-there.ent">]><a>1&e;2</a>',
    "ask-packed.xsl": '<x xsl:version="1.0" %s><xsl:value-of select="count(document(\'packed.xml\')//i)"/></x>' % XSL,
    "prefix.xml": "<r><dc:i/><i/><dc:i/></r>",
    "rss091.xml": '<!DOCTYPE r PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" '
                  '"http://my.netscape.com/publish/formats/rss-0.91.dtd"><r>&eacute;</r>',
    "xhtml.xml": '<!DOCTYPE r PUBLIC "-//W3C//DTD XHTML 1.1//EN" '
                 '"http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd"><r>&eacute;</r>',
    "nbsp.xml": '<r>&nbsp;</r>',
    "nbsp.xsl": """<!DOCTYPE x [<!ENTITY %% l PUBLIC "-//W3C//ENTITIES Latin 1 for XHTML//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml-lat1.ent"> %%l;]>
<xsl:stylesheet version="1.0" %s><xsl:output method="text"/><xsl:template match="/">&nbsp; <xsl:value-of select="."/></xsl:template></xsl:stylesheet>""" % XSL,
    "subset.xml": '<!DOCTYPE r SYSTEM "sub/items"><r>&items;</r>',
    "parameter.xml": '<!DOCTYPE r SYSTEM "sub/nosuch.dtd" [<!ENTITY % p SYSTEM "sub/items"> %p;]><r>&items;</r>',
    "missing.xsl": '<o xsl:version="1.0" %s><xsl:for-each select="//*"><xsl:copy-of select="document(\'none.xml\') | '
                   'document(\'broken.xml#a\')"/>'
                   '</xsl:for-each></o>' % XSL,
    "catalog.xml": '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"><rewriteURI '
                   'uriStartString="http://x.invalid/xsl/" rewritePrefix="sub/"/>'
                   '<system systemId="http://x.invalid/items" uri="sub/items"/><public publicId="-//X//DTD items//EN" '
                   'uri="sub/items"/>'
                   '<uri name="urn:d" uri="d.xml"/><uri name="urn:s" uri="s.xsl"/></catalog>',
    "other catalog.xml": '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"><uri name="urn:d" '
                         'uri="named.xml"/></catalog>',
    "https.xsl": '<xsl:stylesheet version="1.0" xmlns:xsl="https://www.w3.org/1999/XSL/Transform"/>',
    "bad-catalog.xml": '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">\n<uri '
                       'name="urn:d"/>\n</catalogue>',
    "layer.xsl": '<xsl:stylesheet version="1.0" %s><xsl:import href="http://x.invalid/xsl/../s.xsl"/></xsl:stylesheet>'
    % XSL,
    "layer-not.xsl": '<xsl:stylesheet version="1.0" %s>\n <xsl:import '
                     'href="http://nobody.invalid/lib.xsl"/></xsl:stylesheet>' % XSL,
    "same.xsl": '<o xsl:version="1.0" %s><xsl:value-of select="count(document(\'urn:d\')//i)"/>,'
                '<xsl:value-of select="count(document(\'urn:d\') | document(\'d.xml\') | /)"/></o>' % XSL,
    "by-system.xml": '<!DOCTYPE r SYSTEM "http://x.invalid/items"><r>&items;</r>',
    "by-public.xml": '<!DOCTYPE r PUBLIC "-//X//DTD  items//EN" "http://nobody.invalid/items"><r>&items;</r>',
    "by-pi.xml": '<?oasis-xml-catalog catalog="catalog.xml"?><!DOCTYPE r SYSTEM '
                 '"http://x.invalid/items"><r>&items;</r>',
    "sub/urn-sheet.xml": '<?xml-stylesheet href="urn:s" type="text/xsl"?><r><i/></r>',
    "sub/items": '<!ENTITY items "<i/><i/>">',
    "sub/dtd": '<!ENTITY e "e">',
    "sub/part": "<i/><i/><i/>",
    "sub/named.xml": '<?xml-stylesheet href="../s.xsl" type="text/xsl"?><r><i/><i/></r>',
}
# arguments, status, standard output, what standard error contains; input
def packed(text):
    return gzip.compress(text.encode(), mtime=0)


PACKED = {
    "packed.xml.gz": packed("<r><i/><i/><i/></r>"),
    "packed.xml": packed("<r><i/><i/><i/></r>"),
    "packed.xsl": packed(FILES["s.xsl"]),
    "packed-twice.xml": packed("<r><i/><i/>") + packed("<i/></r>") + b"\0" * 512,
    "packed-short.xml": packed("<r><i/><i/><i/></r>")[:-12],
    "packed-bad.xml": packed("<r><i/><i/><i/></r>")[:10] + b"\xff" * 40,
    "packed-bomb.xml": packed("<r>" + " " * 20000000 + "</r>"),
}

CASES = [
    ("s.xsl d.xml", 0, "2:none", ""),
    ("s.xsl d.xml d.xml", 0, "2:none2:none", ""),
    ("--param p 1+1 s.xsl d.xml", 0, "2:2", ""),
    ("--param p count(//i) s.xsl d.xml", 0, "2:2", ""),
    ("--stringparam p 1+1 s.xsl d.xml", 0, "2:1+1", ""),
    ("-param p 1 s.xsl d.xml", 0, "2:1", ""),
    ("s.xsl d.xml --stringparam p after", 0, "2:after", ""),
    ("--stringparam unknown x s.xsl d.xml", 0, "2:none", ""),
    ("--stringparam n:p 1 ns.xsl d.xml", 0, "10", ""),        # a prefix as in the stylesheet
    ("--stringparam {urn:n}p 1 ns.xsl d.xml", 0, "10", ""),
    ("--stringparam p 1 ns.xsl d.xml", 0, "01", ""),
    ("--stringparam {}p 1 ns.xsl d.xml", 0, "01", ""),
    ("--stringparam m:p 1 ns.xsl d.xml", 0, "00", ""),
    ("--stringparam n:p 1 --stringparam p 2 --team exactly:2 ns.xsl d.xml", 0, "12", ""),
    ("--param n:p 3-1 ns.xsl d.xml", 0, "20", ""),
    ("--param {urn:n}p 3-1 ns.xsl d.xml", 0, "20", ""),
    ("--param p 3-1 ns.xsl d.xml", 0, "02", ""),
    ("--param m:p 3-1 ns.xsl d.xml", 0, "00", ""),
    ("--novalid --nonet --verbose s.xsl d.xml", 0, "2:none", ""),
    ("--then strip.xsl tree.xsl d.xml", 0, "[lead]s[   x ]k:a[]\u00e9k:b[][c]p[  ][ ]q[ ][ ]t[ x ][ x ]i[d]\n",
     "one\ntwo\n"),
    ("--then strip.xsl --team exactly:2 --repeat 3 tree.xsl d.xml", 0,
     "[lead]s[   x ]k:a[]\u00e9k:b[][c]p[  ][ ]q[ ][ ]t[ x ][ x ]i[d]\n", "one\ntwo\n"),
    ("--then axis.xsl tree.xsl d.xml", 0, '<?xml version="1.0" encoding="UTF-8"?>\n<o>12,19,0</o>\n', "one"),
    ("--then axis.xsl --then s.xsl tree.xsl d.xml d.xml", 0, "0:none0:none", "one"),
    ("--then grow.xsl --then grow.xsl --then grow.xsl --then grow.xsl --then grow.xsl --timeout 2000 --limit arena=4M "
     "grow.xsl d.xml", 9, "", "arena"),
    ("--then grow.xsl --then ends.xsl --then s.xsl tree.xsl d.xml", 10, "", "the end"),
    ("--then nosuch.xsl s.xsl d.xml", 4, "", "nosuch.xsl"),
    ("--then s.xsl --xpath 1 d.xml", 3, "", "--then goes with a stylesheet"),
    ("--then s.xsl --explain s.xsl", 3, "", "--then goes with a stylesheet"),
    ("--then s.xsl " * 9 + "s.xsl d.xml", 2, "", "too many stylesheets"),
    ("s.xsl subset.xml", 0, "2:none", ""),
    ("--novalid s.xsl subset.xml", 0, "0:none",
     'subset.xml:1:35: the entity "items" is not declared, and left empty\n'),
    ("--novalid s.xsl parameter.xml", 0, "2:none", ""),
    ("nbsp.xsl xhtml.xml", 0, "\u00a0 \u00e9", ""),
    ("--novalid s.xsl xhtml.xml", 0, "0:none", 'xhtml.xml:1:98: the entity "eacute" is not declared, and left empty\n'),
    ("nbsp.xsl nbsp.xml", 6, "", "nbsp.xml:1:4: undefined entity at &nbsp;"),
    ("--novalid --html-entities nbsp.xsl xhtml.xml", 0, "\u00a0 \u00e9", ""),
    # what gzip compressed, as libxml2 reads it: sources, stylesheets, document(); in several members, with anything
    # behind them
    ("s.xsl packed.xml.gz", 0, "3:none", ""),
    ("packed.xsl packed.xml", 0, "3:none", ""),
    ("s.xsl packed-twice.xml", 0, "3:none", ""),
    ("ask-packed.xsl packed.xml", 0, '<?xml version="1.0" encoding="UTF-8"?>\n<x>3</x>\n', ""),
    ("s.xsl packed-short.xml", 6, "", "packed-short.xml: its gzip data ends too early\n"),
    ("s.xsl packed-bad.xml", 6, "", "packed-bad.xml: its gzip data is damaged\n"),
    ("--limit input=1M s.xsl packed-bomb.xml", 6, "", "input"),
    # of what its DTD could not be read: a warning that names it, and the other declarations hold
    ("id.xsl unread.xml", 0, '<a kind="x">text</a>\n', 'warning: unread.xml:2:1: cannot read "is-not-there.ent"'),
    ("id.xsl unread-later.xml", 0, '<a d="def">1later2</a>\n', 'cannot read "is-not-there.ent"'),
    ("id.xsl unread-text.xml", 0, '<a>12</a>\n', 'warning: unread-text.xml:1:57: the entity "e" is left empty: cannot '
                                                 'read "is-not-there.ent"'),
    ("--ignore-external id.xsl unread-text.xml", 0, '<a>12</a>\n', ''),
    ("s.xsl prefix.xml", 0, "1:none", 'warning: prefix.xml:1:4: the prefix of "dc:i" is not declared\n'),
    ("--repeat 3 s.xsl prefix.xml", 0, "1:none", 'warning: prefix.xml:1:4: the prefix of "dc:i" is not declared\n'),
    ("nbsp.xsl rss091.xml", 0, "\u00a0 \u00e9", ""),
    ("--html-entities nbsp.xsl nbsp.xml", 0, "\u00a0 \u00a0", ""),
    ("--noout s.xsl d.xml", 0, "", ""),
    # what is recovered from says where
    ("late.xsl d.xml", 0, None, "late.xsl:2:29: an attribute comes after its element's children, or has no element: it "
                                "is ignored\n"),
    ("late.xsl d.xml", 0, None, "late.xsl:3:1: an attribute comes after its element's children, or has no element: it "
                                "is ignored\n"),
    ("name.xsl d.xml", 0, None, 'name.xsl:2:1: xsl:attribute: "a b" is not a name that it can have\n'),
    ("lost.xsl d.xml", 0, "a?b?", "the output encoding us-ascii has not all characters of the result: '?' stands for "
                                  "U+2013, perhaps for others"),
    ("rtf.xsl d.xml", 10, "", "rtf.xsl:2:1: the expression must be a node-set, and its value is something else (a "
                              "variable with content is none: exsl:node-set() makes one of it)"),
    ("s.xsl -", 0, "1:none", "", "<r><i/></r>"),
    ("https.xsl d.xml", 5, "", 'https.xsl:1:1: not a stylesheet: the namespace of stylesheet is '
                               '"https://www.w3.org/1999/XSL/Transform", not "http:'),
    ("d.xml d.xml", 5, "", "d.xml:1:1: not a stylesheet: the document element is r, neither xsl:stylesheet nor an "
                           "element with xsl:version\n"),
    ("named.xml", 0, "1:none", ""),
    ("sub/named.xml", 0, "2:none", ""),
    ("named-css.xml", 1, "", "names none"),
    ("embedded.xml", 0, "embedded", ""),
    ("embedded.xml d.xml", 0, "embedded", ""),
    ("s.xsl entity.xml", 0, "3:none", ""),
    ("--ignore-external s.xsl entity.xml", 0, "0:none", ""),
    # what a DTD that is not there may have declared is left empty; where there is none, or the document says
    # standalone, it is an error
    ("s.xsl undeclared.xml", 0, None, 'warning: undeclared.xml:1:36: the entity "none" is not declared, and left '
                                      'empty\n'),
    ("id.xsl no-dtd.xml", 0, '<r a="xy">12<b/></r>\n', 'warning: no-dtd.xml:1:37: the entity "none" is not declared, '
                                                       'and left empty\n'),
    ("id.xsl no-dtd-text.xml", 0, '<r><i a=""/></r>\n', "warning: no-dtd-text.xml:1:72: an entity's text refers to an "
                                                        "entity that is not declared, and left empty\n"),
    ("id.xsl no-dtd-standalone.xml", 6, "", "no-dtd-standalone.xml:1:78: undefined entity at &none;"),
    ("--team exactly:3 s.xsl d.xml", 0, "2:none", ""),
    ("--team threads:3 s.xsl d.xml", 0, "2:none", ""),
    ("--repeat 3 s.xsl d.xml", 0, "2:none", ""),
    ("--timing s.xsl d.xml", 0, "2:none", "evaluate"),
    ("message.xsl d.xml", 0, None, "hello\n"),
    ("--repeat 5 message.xsl d.xml", 0, None, "hello\n"),
    ("say.xsl d.xml", 0, "2", "v1\nm1\nr\nv2\nm2\nr\nstart\n"),
    ("--param p 3 say.xsl d.xml", 10, "", "say.xsl:4:23: terminated by xsl:message: three [in function f at line 2, "
                                          "from template at line 6]"),
    ("once.xsl d.xml", 0, None, "g\nv\nunused\ns\np\nend\n"),
    ("global.xsl d.xml", 0, "ab1", "a\nb\nlast\n"),
    ("with.xsl d.xml", 0, "i1itwo", "f\n0\ni\nn1\nq1\np\nt\nntwo\nqtwo\np\nt\n"),
    ("unused.xsl d.xml", 10, "", "a\nm\n1\ni1\nc\nitwo\nb\nc\ninner\nstop\n"),
    ("--team exactly:2 unused.xsl d.xml", 10, "", "a\nm\n1\ni1\nc\nitwo\nb\nc\ninner\nstop\n"),
    ("evaluate.xsl d.xml", 0, "1", "g\n"),
    # base URIs are those of external entities
    ("base.xsl base.xml", 0, "main main 1|" * 3 + ("sub sub 1|" * 3 + "main main 1|") * 2, ""),
    ("parts.xsl base.xml", 0, "sub2main2", "sub/part.xsl:3:34: id() wants 1 argument"),
    ("parts.xsl d.xml", 10, "", "sub/part.xsl:3:"),
    ("guard.xsl d.xml", 10, "", "guard.xsl:2:27: terminated by xsl:message: none is missing [in template at line 1]\n"),
    ("--stringparam p x global.xsl d.xml", 0, "xb1", "b\nlast\n"),
    ("stop.xsl d.xml", 10, "", "stop.xsl:1:77: terminated by this message\n"),
    ("stop-empty.xsl d.xml", 10, "", "stop-empty.xsl:1:77: terminated by an empty xsl:message"),
    ("markup.xsl d.xml", 0, None, "1 < 2 & 3 > 2 \u20ac]]> a two b\nline\nend\n"),
    # files by URI and by --path
    ("s.xsl file://FOLDER/d.xml", 0, "2:none", ""),
    ("file:FOLDER/s.xsl file://localhost/FOLDER/with%20space.xml", 0, "3:none", ""),
    ("-o file://FOLDER/sub/out-uri s.xsl d.xml", 0, "", ""),
    ("file://FOLDER/sub/named.xml", 0, "2:none", ""),
    ("s.xsl file://elsewhere/d.xml", 6, "", "file://elsewhere/d.xml: cannot be opened"),
    ("s.xsl http://localhost/d.xml", 6, "", "http://localhost/d.xml: cannot be opened"),
    ("path.xsl d.xml", 5, "", "path.xsl:1:80: cannot read \"up/in-lib.xsl\" (FOLDER/up/in-lib.xsl): No such file"),
    ("--path lib path.xsl entity-elsewhere.xml", 0, "3:in lib", ""),
    ("--path nosuch:sub:lib --path none path.xsl gone/in-lib.xml", 0, "1:in lib", ""),
    ("--path lib in-lib.xsl d.xml", 0, "2:in lib", ""),
    ("--path lib s.xsl lib", 6, "", "lib: cannot be read: Is a directory"),
    ("vendor.xsl d.xml", 0, "gpuxml urn:gpuxml gpuxml 1 ", ""),
    ("--vendor libxslt --vendor-url http://xmlsoft.org/XSLT/ vendor.xsl d.xml", 0,
     "libxslt http://xmlsoft.org/XSLT/ libxslt 1 ", ""),
    ("--vendor 1 vendor.xsl d.xml", 0, "1 urn:gpuxml 1 1 ", ""),
    # the exit numbers of xsltproc(1) that are not above
    ("no-function.xsl d.xml", 10, "", "no-function.xsl:1:71: there is no function nosuch() [in"),
    ("no-template.xsl d.xml", 9, "", "no-template.xsl:1:71: "),
    ("no-import.xsl d.xml", 5, "", 'no-import.xsl:1:80: cannot read "nosuch.xsl" ('),
    ("bad-import.xsl d.xml", 5, "", "broken.xsl:1:"),
    ("s.xsl broken.xml d.xml nosuch.xml d.xml", 6, "2:none2:none", "nosuch.xml: "),      # each document for itself
    ("no-function.xsl broken.xml d.xml", 10, "", "broken.xml:2:"),
    ("stop.xsl d.xml broken.xml", 6, "", "stop\n"),
    ("--xpath //i d.xml", 0, "1\ntwo\n", ""),
    ("--xpath count(//i)*2 d.xml", 0, "4\n", ""),
    ("--xpath //i[2] --xml d.xml", 0, None, ""),
    ("--xpath count(//x:k) --ns x=urn:n d.xml", 0, "1\n", ""),
    ("--encoding us-ascii --xml --xpath //@* name.xml", 9, None, "has no U+00E9, which stands in a name"),
    ("--xpath //i[ d.xml", 5, "", "//i["),
    ("--explain --xpath count(//i[2])", 0, "runs on any team\nselect  once( root descendant::i! parent::node() "
                                           "child::i(2)[ nth(2) ] count/1 )\n"
     "rules applied\n  count(//i[2])\n    rules: once nth deep-parents\n", ""),
    ("--explain s.xsl", 0, """runs on any team
param 0 p  'none'
template match / (precedence 0, priority 0.5), at s.xsl:1:144
  value  once( root count(descendant::i) string ':' global(0) string concat/3 )
rules applied
  s.xsl:1:168 concat(count(//i), ':', $p)
    rules: once deep-children count-on-axis
""", ""),
    ("--rules none --explain --xpath count(//i[2])", 0, "runs on any team\nselect  root descendant-or-self::node()! "
                                                        "child::i[ { 2 } ] count/1\n", ""),
    ("--rules none,nth --explain --xpath //i[2]", 0,
     "runs on any team\nselect  root descendant-or-self::node()! child::i(2)[ nth(2) ]\nrules applied\n  //i[2]\n    "
     "rules: nth\n", ""),
    ("--rules -nth,-once --explain --xpath //i[2]", 0,
     "runs on any team\nselect  root descendant::i! parent::node() child::i[ { 2 } ]\nrules applied\n  //i[2]\n    "
     "rules: deep-parents\n", ""),
    ("--rules none --xpath //i[2] --xml d.xml", 0, None, ""),
    ("--rules nosuch --xpath //i d.xml", 3, "", "--rules: there is no such rule"),
    ("--rules list", 0, None, ""),
    ("--explain", 1, "", "--explain wants"),
    ("--explain s.xsl d.xml", 1, "", "--explain wants"),
    ("--explain --timing s.xsl", 1, "", "--explain wants"),
    ("--profile --team threads:2 s.xsl d.xml", 3, "", "leave --team out"),
    ("--explain --timing --team worker s.xsl d.xml", 3, "", "leave --team out"),
    ("--profile --then s.xsl s.xsl d.xml", 3, "", "--then goes with"),
    ("--explain wrong.xsl", 5, "", "wrong.xsl:2:"),
    ("--version", 0, None, ""),
    ("--help", 0, None, ""),
    ("", 1, "", "--help"),
    ("--nosuch s.xsl d.xml", 3, "", "--nosuch"),
    ("s.xsl d.xml --param p", 3, "", "missing"),
    ("--stringparam p \u00e4\u20ac\U0001f600 s.xsl d.xml", 0, "2:\u00e4\u20ac\U0001f600", ""),
    ("--stringparam p a\udcc3 s.xsl d.xml", 3, "", "UTF-8"),
    ("--stringparam p \udced\udca0\udc80 s.xsl d.xml", 3, "", "UTF-8"),
    ("--stringparam p a\x01 s.xsl d.xml", 3, "", "characters of XML"),
    ("--param p '\x01' s.xsl d.xml", 3, "", "characters of XML"),
    ("--xinclude s.xsl d.xml", 0, "2:none", ""),
    ("--xincludestyle s.xsl d.xml", 3, "", "XInclude in stylesheets"),
    ("--catalogs s.xsl d.xml", 3, "", "SGML catalogs are not supported: name XML catalogs in XML_CATALOG_FILES"),
    ("layer-not.xsl d.xml", 5, "", 'layer-not.xsl:2:2: cannot read "http://nobody.invalid/lib.xsl": only files are '
                                   'read, nothing is fetched '
                                   '(an XML catalog can map it to a file)\n'),
    ("--team many s.xsl d.xml", 3, "", "threads:N"),
    ("--repeat 0 s.xsl d.xml", 3, "", "--repeat"),
    ("--parser sax s.xsl d.xml", 3, "", "--parser wants auto or expat"),
    ("--parser expat s.xsl d.xml", 0, "2:none", ""),
    ("--limit nosuch=1 s.xsl d.xml", 3, "", "nosuch"),
    ("nosuch.xsl d.xml", 4, "", "nosuch.xsl"),
    ("broken.xsl d.xml", 4, "", "broken.xsl:1:"),
    ("wrong.xsl d.xml", 5, "", "wrong.xsl:2:"),
    ("--limit attributes=2000 wide.xsl d.xml", 5, "", "wide.xsl:1:1: more attributes on one element than "
                                                      "attributes=1024 (fixed for stylesheets and catalogs)\n"),
    ("s.xsl nosuch.xml", 6, "", "nosuch.xml"),
    ("s.xsl broken.xml", 6, "", "broken.xml:2:"),
    ("s.xsl beyond.xml", 0, "20000:none", ""),      # of each that httpd limits more: none here
    ("--limit depth=512 s.xsl beyond.xml", 6, "", "--limit depth="),
    ("--limit attributes=1024 s.xsl beyond.xml", 6, "", "--limit attributes="),
    ("--limit name=1K s.xsl beyond.xml", 6, "", "--limit name="),
    ("--limit nodes=3 s.xsl d.xml", 6, "", "--limit nodes="),
    ("--limit depth=1 s.xsl d.xml", 6, "", "--limit depth="),
    ("--limit depth=max s.xsl d.xml", 0, "2:none", ""),
    ("loop.xsl d.xml", 10, "", "loop.xsl"),
    ("stack.xsl d.xml", 10, "", "lib.xsl:3:27: not supported: function x:no (urn:x) [in template fail at line 3, from "
                                "template deep at stack.xsl:4, "
                               "from template lib at line 2, from template at stack.xsl:3]"),
    ("-o sub/out s.xsl d.xml", 0, "", ""),
    ("-o nosuch/out s.xsl d.xml", 11, "", "nosuch/out"),
    ("-o kept s.xsl broken.xml", 6, "", "broken.xml"),
]
# the same, with $XML_CATALOG_FILES before the arguments
CATALOG_CASES = [
    ("catalog.xml", "layer.xsl d.xml", 0, "2:none", ""),
    ("  catalog.xml\tnone.xml", "layer.xsl d.xml", 0, "2:none", ""),
    ("file:FOLDER/catalog.xml", "layer.xsl d.xml", 0, "2:none", ""),
    ("none.xml catalog.xml", "layer.xsl d.xml", 0, "2:none", 'warning: cannot read "file:///'),
    ("bad-catalog.xml catalog.xml", "layer.xsl d.xml", 0, "2:none", "bad-catalog.xml:3:3: mismatched tag"),
    ("catalog.xml", "--nocatalogs layer.xsl d.xml", 5, "", "layer.xsl:1:80: cannot read"),
    ("catalog.xml", "layer-not.xsl d.xml", 5, "", "only files are read, nothing is fetched, and no XML catalog maps it "
                                                  "to a file\n"),
    ("catalog.xml", "urn:s d.xml", 0, "2:none", ""),
    ("catalog.xml", "sub/urn-sheet.xml", 0, "1:none", ""),
    ("catalog.xml", "same.xsl d.xml", 0, '<?xml version="1.0" encoding="UTF-8"?>\n<o>2,1</o>\n', ""),
    ("file:FOLDER/other%20catalog.xml catalog.xml", "same.xsl d.xml", 0,
     '<?xml version="1.0" encoding="UTF-8"?>\n<o>1,2</o>\n', ""),
    ("catalog.xml", "s.xsl by-system.xml", 0, "2:none", ""),
    ("catalog.xml", "s.xsl by-public.xml", 0, "2:none", ""),
    ("catalog.xml", "--repeat 3 --team exactly:2 s.xsl by-public.xml by-public.xml", 0, "2:none2:none", ""),
    ("catalog.xml", "--novalid s.xsl by-system.xml", 0, "0:none",
     'the entity "items" is not declared, and left empty\n'),
    ("", "s.xsl by-system.xml", 0, "0:none", "nothing is fetched (an XML catalog can map it to a file)"),
    ("", "s.xsl by-pi.xml", 0, "0:none", "nothing is fetched (an XML catalog can map it to a file)"),
    # a document does not choose
]


def run(args, given="", catalogs=""):
    p = subprocess.run([GPUXSLT] + args, input=given, capture_output=True, text=True, timeout=60,
                       env=dict(os.environ, XML_CATALOG_FILES=catalogs))
    return p.returncode, p.stdout, p.stderr


def tap(good, claim, why=""):
    tap.n += 1
    print("%sok %d - %s" % ("" if good else "not ", tap.n, claim))
    if not good:
        print("#   %r" % (why,))


tap.n = 0
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.mkdir("sub")
    os.mkdir("lib")
    for name, data in PACKED.items():
        with open(name, "wb") as f:
            f.write(data)
    for name, text in list(FILES.items()) + [("kept", "old")]:
        with open(name, "w") as f:
            f.write(text)
    for args, status, out, err, *given in CASES:
        r = run(args.replace("FOLDER", os.path.realpath(folder)).split(), *given)
        err = err.replace("FOLDER", os.path.realpath(folder))
        good = r[0] == status and out in (None, r[1]) and err in r[2] and bool(r[2]) == bool(err)
        tap(good, "gpuxslt %s: exit %d" % (args.encode("ascii", "backslashreplace").decode(), status), r)
    for catalogs, args, status, out, err in CATALOG_CASES:
        r = run(args.split(), catalogs=catalogs.replace("FOLDER", "//" + os.path.realpath(folder)))
        tap(r[0] == status and r[1] == out and err in r[2] and bool(r[2]) == bool(err),
            "XML_CATALOG_FILES=%r gpuxslt %s: exit %d" % (catalogs, args, status), r)
    for name, text, claim in (("sub/out", "2:none", "-o writes the file"),
                              ("kept", "old", "a failed run leaves the old result")):
        try:
            with open(name) as f:
                tap(f.read() == text, claim)
        except OSError as e:
            tap(False, claim, e)
    r = run(["--explain", "global.xsl"])
    tap("start with the messages of global variables\n  var $0  content\n    copy-of  global(0)\n" in r[1],
        "--explain: what comes before the templates", r)
    r = run(["--explain", "--xpath", "concat('a\nb', //i)"])
    tap("select  once( 'a\\nb' root" in r[1] and r[1].index("rules applied") > 0 and r[1].count("\n") == 5,
        "--explain: an expression is one line", r)
    r = run(["--explain", "choice.xsl"])
    tap("rules: " in r[1] and " key join-filter " in r[1]
        and "alternatives: 1 of two ways, by what is found (CHOICE_ROWS, CHOICE_TREE, CHOICE_FOUND), 1 of" in r[1]
        and re.search(r"\n  CHOICE_FOUND +16 +16 +16  nodes found a row: ask each node, else join", r[1]),
        "--explain: alternatives, and the costs that they are chosen by", r)
    r = run("--explain --timing choice.xsl d.xml".split())
    tap(re.search(r"\n +us +rows \| ", r[1])
        and re.search(r"<(first way|else); \d+ found, the first way up to \d+>", r[1]),
        "--explain --timing: which way a choice went", r)
    with open("slow.xsl", "w") as f:            # a function of the stylesheet runs instructions within an operator
        f.write('<xsl:stylesheet version="1.0" %s xmlns:func="http://exslt.org/functions" xmlns:f="urn:f" '
                'extension-element-prefixes="func" '
                'exclude-result-prefixes="f"><xsl:output method="text"/><xsl:key name="k" match="i" use="."/>\n'
                '<func:function name="f:of"><xsl:param name="n"/><func:result '
                'select="count($n/ancestor::*)"/></func:function>\n'
                '<xsl:template match="/"><xsl:for-each select="//i"><xsl:value-of select="concat(f:of(.), '
                'count(key(\'k\', .)))"/></xsl:for-each>\n'
                '<xsl:variable name="v" select="$later"/><xsl:apply-templates select="//b"/></xsl:template>\n'
                '<xsl:template match="b" name="b"><xsl:number level="any"/></xsl:template><xsl:variable name="later" '
                'select="count(//*)"/>'
                '</xsl:stylesheet>' % XSL)
    with open("slow.xml", "w") as f:
        f.write("<r>%s</r>" % "".join("<i>%d</i><b/>" % (i % 7) for i in range(50)))
    want, r = run("slow.xsl slow.xml".split()), run("--profile --repeat 3 slow.xsl slow.xml".split())
    tap(want[0] == 0 and want[1] == r[1] and not want[2], "--profile: the same result", r)
    lines = {l[40:].strip(): l.split()[:4] for l in r[2].splitlines()}
    for what, rows in (("template match / at slow.xsl:3:1", "50"), ("template match b name b at slow.xsl:5:1", "50"),
                       ("function f:of{urn:f} at slow.xsl:2:1", "50"),
                       ("concat(f:of(.), count(key('k', .))) at slow.xsl:3:52", "100"),
                       ("count($n/ancestor::*) at slow.xsl:2:49", "50"), ("count(//*) at slow.xsl:5:74", "1")):
        tap(lines.get(what, [])[2:3] == [rows] and float(lines[what][0]) > 0,
            "--profile: %s, %s rows" % (what, rows), r)
    r = run("--explain --timing slow.xsl slow.xml".split())
    tap(re.search(r"^ +\d+\.\d +50 \|     value  context call f:of/1", r[1], re.M)
        and re.search(r"<\d+\.\d us, 50 rows>", r[1])
        and r[1].startswith("runs on any team\n"), "--explain --timing: times and rows", r)
    r = run(["--explain", "--timing", "--xpath", "//i[. = 3]", "slow.xml"])
    tap(r[0] == 0 and " | select  " in r[1] and " rows>" in r[1], "... of an expression", r)
    r = run("--profile missing.xsl d.xml".split())
    tap(r[0] == 0 and "template match" in r[2], "... of a program with host steps", r)
    r = run(["late.xsl", "d.xml"])
    tap(r[2].count("\n") == 2, "a late attribute is told of once for its instruction", r)
    r = run(["missing.xsl", "d.xml"])
    tap(r[0] == 0 and r[2].count("\n") == 2,
        "a document that document() cannot read is told of once, not for each node", r)
    r = run("stop.xsl d.xml".split())
    tap(r[2].startswith("stop\n") and r[2].count(": stop") == 0, "a message that terminates appears once", r)
    r = run("--timing --json --repeat 3 --team exactly:2 message.xsl d.xml".split())
    tap(r[2].count("hello") == 1, "a message appears once, whatever --repeat says", r)
    try:
        facts = json.loads(r[2].splitlines()[-1])
    except (ValueError, IndexError):
        facts = {}
    for key in "parse_us evaluate_us serialize_us nodes document_bytes arena_bytes output_bytes".split():
        tap(facts.get(key, 0) > 0, "--json says " + key, r)
    tap(facts.get("team") == "threads:2", "--json says the team", r)
    r = run("--timing --json --team threads:2 message.xsl d.xml".split())
    tap('"team":"solo"' in r[2], "a small document needs no team", r)

    # a source of more than 2 MiB is read by as many threads: the same bytes, and the same first error
    with open("copy-all.xsl", "w") as f:
        f.write('<xsl:stylesheet version="1.0" %s><xsl:template match="@*|node()"><xsl:copy><xsl:apply-templates '
                'select="@*|node()"/>'
                '</xsl:copy></xsl:template></xsl:stylesheet>' % XSL)
    r, off = run(["--explain", "copy-all.xsl"]), run(["--explain", "--rules", "-copies", "copy-all.xsl"])
    tap(r[1].count(", copies subtrees, at copy-all.xsl:") == 1 and "copies subtrees" not in off[1] and off[0] == 0,
        "--explain tells where subtrees are copied whole", r)
    items = ["<i n='%d' p:q='&lt;%d'>text %d<b/>tail</i>\n<!-- %d --><n%d>\u00e9</n%d>\n" % (i, i, i, i, i // 3000,
        i // 3000)
             for i in range(36000)]
    broken = items[:30000] + ["<i></j>"] + items[30000:]
    early = items[:9000] + ["<i></j>"] + broken[9000:]
    declared = items[:20000] + ["<p:i xmlns:p='other' xml:id='one'><p:b/></p:i>"] + items[20000:]
    for name, body in (("good", items), ("broken late", broken), ("broken early", early), ("not joined", declared)):
        with open("large.xml", "w", encoding="utf-8") as f:
            f.write("<?xml version='1.0'?>\n<!-- c --><r xmlns:p='u'><s>\n%s</s></r>\n<?end?>\n" % "".join(body))
        one = run(["copy-all.xsl", "large.xml"])
        tap(os.path.getsize("large.xml") > 2 << 20 and (one[0] == 0) == ("broken" not in name),
            "a large source, " + name, one[2])
        for n in (2, 3):
            r = run(["--team", "exactly:%d" % n, "copy-all.xsl", "large.xml"])
            tap(r == one, "%s, read by %d threads" % (name, n), r[2])

    with open("part.xsl", "w") as f:
        f.write('<xsl:stylesheet version="1.0" %s>%s</xsl:stylesheet>' % (XSL, '<xsl:template match="a"/>' * 3000))
    with open("parts.xsl", "w") as f:
        f.write('<xsl:stylesheet version="1.0" %s>%s</xsl:stylesheet>' % (XSL, '<xsl:import href="part.xsl"/>' * 990))
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    r = run(["parts.xsl", "d.xml"])
    tap(r[0] == 5 and "1048576 nodes in all" in r[2]
        and resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start < 2,
            "a module counts as often as it is imported", r)

    # --timeout ends what is long only because it is much: many pairs in parts, a long string again and again; and a
    # string in a string is found without it
    with open("many.xml", "w") as f:
        f.write("<r>%s</r>" % "".join("<i>%d some words</i>" % i for i in range(30000)))
    with open("long.xml", "w") as f:
        f.write("<r><i>%s</i><i>%sba</i></r>" % ("a" * 3000000, "a" * 1500000))
    for name, select, claim in (("pairs", "count(//i[concat(., current()) = concat(current(), .)])", "pairs"),
                                ("strings", "contains(/, concat(., '!'))", "contains()"),
                                ("before", "substring-before(/, concat(., '!'))", "substring-before()")):
        with open(name + ".xsl", "w") as f:
            f.write('<x xsl:version="1.0" %s><xsl:for-each select="//i"><xsl:sort select="%s"/><y/></xsl:for-each></x>'
                    % (XSL, select))
        for team in ("solo", "exactly:2"):
            start = time.time()
            r = run(["--timeout", "200", "--team", team, name + ".xsl", "many.xml"])
            tap(r[0] == 9 and not r[1] and "takes longer than" in r[2] and time.time() - start < 2,
                "--timeout ends %s, %s" % (claim, team), (r[0], r[2], time.time() - start))
    with open("find.xsl", "w") as f:
        f.write('<x xsl:version="1.0" %s><xsl:value-of select="contains(r/i[1], r/i[2])"/></x>' % XSL)
    start = time.time()
    r = run(["--timeout", "2000", "find.xsl", "long.xml"])
    tap(r[0] == 0 and "<x>false</x>" in r[1] and time.time() - start < 2,
        "a string that nearly matches everywhere is looked for in linear time", r)
    # a window beside each of many nodes is as much work as it is wide
    with open("window.xsl", "w") as f:
        f.write('<x xsl:version="1.0" %s><xsl:for-each select="r/i[position() mod 4 = 1]"><xsl:value-of '
                'select="count(.|following-sibling::i[position() &lt; 4])"/>'
                '<xsl:value-of select="count(preceding-sibling::i[position() &lt;= 20][1])"/></xsl:for-each></x>' % XSL)
    r = run(["--limit", "steps=2M", "--timeout", "2000", "window.xsl", "many.xml"])
    tap(r[0] == 0 and "<x>40" + "41" * 7499 + "</x>" in r[1],
        "following-sibling::i[position() < 4] looks at three nodes, not at all", (r[0], r[1][:200], r[2]))
    # what siblings share is made once, and their numbers go on from each other
    with open("turns.xml", "w") as f:
        f.write("<t>" + '<dt v="1"/><dd/>' * 15000 + "</t>")
    for claim, select in (("a record", "@v &lt; preceding-sibling::*/@v"),
        ("a count", "count(following-sibling::*[@v > 3])"), ("a total", "sum(@v | preceding-sibling::dt[@v]/@v)"),
                          ("a union's count", "count(preceding::* | ancestor::*)"), ("a number", None)):
        with open("turns.xsl", "w") as f:
            f.write('<x xsl:version="1.0" %s><xsl:for-each select="t/*">%s</xsl:for-each></x>' % (XSL,
                '<xsl:value-of select="%s"/>' % select if select else "<xsl:number/>"))
        r = run(["--limit", "steps=2M", "--timeout", "5000", "turns.xsl", "turns.xml"])
        tap(r[0] == 0, "%s of each of 30,000 siblings looks at few of them" % claim, (r[0], r[2]))
print("1..%d" % tap.n)
