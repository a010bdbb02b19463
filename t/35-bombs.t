#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a stranger's document or a tenant's stylesheet makes long or large ends at its time and its limits, and takes no
process down.

Each case is a document below 1 MB (two are larger) that needs seconds to hours without a look at the clock in the right
place. The command may succeed, or say that it takes longer than it may or reaches a limit: in a second of CPU time
beyond --timeout, in so much memory. What is in PROMPT must succeed, what is in SHEETS is compiled, stylesheets of 1 to
3 MB: each takes a tenth of a second to one second of CPU time on a machine of 2026, and may take three on a slower one
that does something else beside it. What grows with the square takes more.
"""
import itertools, os, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPUXSLT = ROOT + "/build/gpuxslt"
if not os.path.exists(GPUXSLT):
    print("1..0 # SKIP build/gpuxslt is not there")
    sys.exit(0)

MS = 300
PROMPT_S = 3
SHEET = ('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" '
         'xmlns:exsl="http://exslt.org/common" '
         'xmlns:str="http://exslt.org/strings" xmlns:math="http://exslt.org/math" '
         'xmlns:date="http://exslt.org/dates-and-times" '
         'xmlns:dyn="http://exslt.org/dynamic" xmlns:regexp="http://exslt.org/regular-expressions" '
         'xmlns:set="http://exslt.org/sets" '
         'xmlns:p="urn:p">%s</xsl:stylesheet>')


def root(body):
    return SHEET % '<xsl:template match="/"><o>%s</o></xsl:template>' % body


def value(select):
    return root('<xsl:value-of select="%s"/>' % select)


def each(select):       # for each <b/>, whose parent has a long string-value
    return root('<xsl:for-each select="//b"><xsl:value-of select="%s"/></xsl:for-each>' % select)


def flat(n, item):
    return "<r>%s</r>" % "".join(item(i) for i in range(n))


def nest(inner, depth=500):     # depth string-values, each as long as inner
    return "<r>" + "<a>" * depth + inner + "</a>" * depth + "</r>"


def beside(text, n=50000):      # n <b/> in an element whose string-value is the text
    return "<d><r>" + "<b/>" * n + text + "</r><c>" + text + "</c></d>"


WORDS = "x y " * 90000
# MB that what goes on into the arena (1 GiB at most) until its time is up may take: the faster the machine, the more
ARENA = 1200
# claim, stylesheet, document, [MB of memory]
CASES = [
    ("a string longer than any can be, by concat() for some rows",
     root('<xsl:for-each select="//a"><xsl:value-of select="concat(%s)"/></xsl:for-each>' % ",".join(["."] * 500)),
     "<r><a>" + "x" * (2**32 // 500 + 10) + "</a><a/></r>", 1500),
    ("a string longer than any can be, by a variable with content",
     root('<xsl:variable name="v">-<xsl:for-each select="//a"><xsl:value-of '
          'select="."/></xsl:for-each></xsl:variable><xsl:value-of select="$v"/>'),
     nest("x" * (2**32 // 484 + 100), 484), 1500),
    ("declared defaults, each a namespace, of many elements", value("1"),
     "<!DOCTYPE r [<!ATTLIST a %s>]>" % "".join(" xmlns:p%d CDATA 'u%d'" % (i, i) for i in range(1000))
     + flat(200000, lambda i: "<a/>")),
    ("many declared attributes, none with a default, of many elements", value("1"),
     "<!DOCTYPE r [<!ATTLIST a %s>]>" % " ".join("a%x CDATA #IMPLIED" % i for i in range(60000))
     + flat(200000, lambda i: "<a/>")),
    ("many declarations of attributes of as many element types", value("1"),
     "<!DOCTYPE r [%s]>" % "".join("<!ATTLIST a a%x CDATA #IMPLIED><!ATTLIST b%x i ID #IMPLIED>" % (i, i)
                                   for i in range(20000)) + flat(400000, lambda i: "<a/>")),
    ("many declared defaults of one element", value("1"),
     "<!DOCTYPE r [<!ATTLIST a %s>]><r/>" % "".join(" a%d CDATA ''" % i for i in range(65000))),
    ("an entity set that is known, read again and again", value("1"),
     "<!DOCTYPE r [<!ENTITY % l PUBLIC '-//W3C//ENTITIES Latin 1 for XHTML//EN' 'none'>" + "%l;" * 300000 + "]><r/>"),
    ("entities full of namespaces", value("1"),
     "<!DOCTYPE r [<!ENTITY a \"<b %s/>\">]>" % " ".join("xmlns:p%d='u'" % i for i in range(1000))
     + flat(30000, lambda i: "&a;")),
    ("an entity's text of very many references that end far behind", value("1"),
     "<!DOCTYPE r [<!ENTITY e '%s;'>]><r/>" % ("&#38;#" * 1500000)),
    ("many rules of xsl:strip-space for many names", SHEET % '<xsl:strip-space elements="%s"/>'
     % " ".join("b%d" % i for i in range(12000)),
     flat(80000, lambda i: "<a%d/>" % i)),
    ("many namespaces beside p:*", SHEET % '<xsl:template match="p:*"/>',
     flat(40000, lambda i: '<a xmlns="u%05d"/>' % i)),
    ("!= of sets whose nodes are all equal", value("//a != //a"), flat(200000, lambda i: "<a/>")),
    ("!= of long equal strings", value("//a != //a"), nest("x" * 900000)),
    ("= of long strings that differ at their end", value("//a = //b"),
     "<r>" + nest("x" * 450000, 250) + nest("x" * 449999 + "y", 250).replace("a>", "b>") + "</r>"),
    ("&lt; of long numbers", value("//a &lt; //a"), nest("1" * 900000)),
    ("sum() of long numbers", value("sum(//a)"), nest("1" * 900000)),
    ("math:highest() of long numbers", value("count(math:highest(//a))"), nest("1" * 900000)),
    ("number() of a long string for many rows", each("number(..)"), beside("1" * 350000)),
    ("normalize-space() of a long string for many rows", each("normalize-space(..) = ''"), beside(WORDS)),
    ("translate() of a long string for many rows", each("translate(.., 'x y', '')"), beside(WORDS)),
    ("translate() with a long second argument", value("string-length(translate(/, /r/s, /r/t))"),
     "<r><s>%s</s><t/>%s</r>" % ("".join(chr(0x4e00 + i) for i in range(20000)), chr(0x4e00 + 19990) * 200000)),
    ("substring() of a long string for many rows", each("substring(.., 300000, 1)"), beside(WORDS)),
    ("= of a long string for many rows", each("string(..) = string(/d/c)"), beside(WORDS)),
    ("starts-with() of a long string for many rows", each("starts-with(.., /d/c)"), beside(WORDS)),
    ("lang() below many attributes", each("lang('en')"),
     ("<a %s>" % " ".join('a%d=""' % i for i in range(1000))) * 50 + "<b/>" * 50000 + "</a>" * 50),
    ("unparsed-entity-uri() with many entities", each("unparsed-entity-uri(concat('x', position()))"),
     "<!DOCTYPE r [%s]>" % "".join("<!ENTITY e%05d SYSTEM 'u' NDATA n>" % i for i in range(15000)) + beside("")),
    ("str:encode-uri() of a long string for many rows", each("str:encode-uri(.., true())"),
     beside("\u4e00" * 100000, 400)),
    ("sorting by a long string", root('<xsl:for-each select="//b"><xsl:sort select=".."/>x</xsl:for-each>'),
     beside(WORDS)),
    ("key() of many nodes with few values", SHEET % '<xsl:key name="k" match="b" use="@k"/><xsl:template match="/">'
     '<xsl:value-of select="count(key(\'k\', //b/@k))"/></xsl:template>',
     flat(60000, lambda i: '<b k="%d"/>' % (i % 20))),
    ("many template rules of nodes far down", SHEET % ("".join('<xsl:template match="x%d//b"/>' % i
        for i in range(2000))
     + '<xsl:template match="*"><xsl:apply-templates/></xsl:template>'), nest("<b/>" * 100000)),
    ("many template rules with predicates", SHEET % ("".join('<xsl:template match="b[@x=%d]"/>' % i
        for i in range(1500))
     + '<xsl:template match="*"><xsl:apply-templates/></xsl:template>'), nest("<b/>" * 100000), ARENA),
    ("a long expression for many rows", each("+".join(["@x"] * 900)), beside("", 100000), ARENA),
    ("xsl:number level='multiple' of many siblings",
     root('<xsl:for-each select="//b"><xsl:number level="multiple" count="b"/></xsl:for-each>'),
     flat(100000, lambda i: "<b/>")),
    ("xsl:number with a long format",
     root('<xsl:for-each select="//b"><xsl:number value="1" format="{..}"/></xsl:for-each>'), beside("1." * 200000)),
    ("format-number() with a long pattern", each("format-number(1, ..)"), beside("#" * 400000 + "0")),
    ("exsl:node-set() of nested copies", root('<xsl:variable name="v"><xsl:copy-of select="//a"/></xsl:variable>'
     '<xsl:value-of select="count(exsl:node-set($v)//b)"/>'), nest("<b/>" * 100000), 1500),
    ("exsl:node-set() of a copy for each of many nodes",
     root('<xsl:for-each select="//b"><xsl:variable name="v"><xsl:copy-of select="/"/></xsl:variable>'
     '<xsl:value-of select="count(exsl:node-set($v)//b)"/></xsl:for-each>'), flat(50000, lambda i: "<b/>"), 1500),
    ("copies of a document of many comments in an attribute, which has none of them",
     root('<xsl:for-each select="//b"><a><xsl:attribute name="x">'
     '<xsl:copy-of select="/"/></xsl:attribute></a></xsl:for-each>'),
     "<!---->" * 100000 + flat(50000, lambda i: "<b/>")),
    ("document() of a long string for many rows",
     root('<xsl:for-each select="//b"><xsl:copy-of select="document(..)"/></xsl:for-each>'), beside(WORDS)),
    ("document() of one long document for many rows",
     root('<xsl:for-each select="//b"><xsl:if test="document(concat(@x, \'d.xml\'))/none"/></xsl:for-each>'),
     beside(WORDS, 1000)),
    ("system-property() of a long string for many rows", each("system-property(..)"), beside(WORDS)),
    ("dyn:evaluate() of a long string for many rows", each("dyn:evaluate(..)"), beside("'%s'" % WORDS)),
    ("str:tokenize() by many characters", each("count(str:tokenize(.., string(..)))"),
     beside("".join(chr(0x4e00 + i) for i in range(20000)) * 5, 4)),
    ("regexp:test() that fails slowly at every place", each("regexp:test(.., 'z*(a+)+$')"),
     "<r>" + "<b/>" * 20 + "z" * 4000 + "a" * 18 + "b" + "</r>"),
    ("date:format-date() with a long pattern", each("date:format-date('2020-01-01', ..)"), beside("y" * 400000)),
]

# strings that are all one to FNV-1a of 32 bits, which everybody can compute: either of each pair leads to the same
# state
PAIRS = ("rsygeoga uomycuep", "vjqgphnp ofbfzqgg", "rnichdlf etryhvdl", "nankltvj dahapzoy", "jkyciihz pusjpbfo",
         "hpphuqnk sxfjtuat", "rgilbhcn oakghgjl",
         "tczzhtfh knayhcqh", "bcschrpf vhbhsodm", "ojeatnrc pozhfibb", "ibppxaqr olshebki", "tlsfkcja zytlmgjk",
         "xyvkjtnx dchpisgr", "khgashds vzxxplts")
ALIKE = ["".join(words) for words in itertools.product(*(p.split() for p in PAIRS))]
VALUES = flat(len(ALIKE), lambda i: '<i k="%s"/>' % ALIKE[i])
PROMPT = [
    ("grouping by strings that collide",
     SHEET
     % '<xsl:key name="k" match="i" use="@k"/><xsl:template match="/"><o><xsl:for-each select="//i[generate-id() = '
     'generate-id(key(\'k\', @k)[1])]"><xsl:value-of select="count(key(\'k\', '
     '@k))"/></xsl:for-each></o></xsl:template>', VALUES),
    ("a search for each of strings that collide",
     root('<xsl:for-each select="//i"><xsl:value-of select="count(//i[@k = current()/@k])"/></xsl:for-each>'), VALUES),
    ("set:distinct() of strings that collide", value("count(set:distinct(//@k))"), VALUES),
    ("id() of strings that collide",
     root('<xsl:for-each select="//i"><xsl:value-of select="count(id(.))"/></xsl:for-each>'),
     flat(len(ALIKE), lambda i: '<i xml:id="%s">%s</i>' % (ALIKE[i], ALIKE[i]))),
    ("names that collide in exsl:node-set()",
     root('<xsl:variable name="v"><xsl:copy-of select="/"/></xsl:variable><xsl:value-of '
          'select="count(exsl:node-set($v)//*)"/>'),
     flat(len(ALIKE), lambda i: "<%s/>" % ALIKE[i])),
    ("siblings counted, with children between them",
     root('<xsl:for-each select="//*"><xsl:value-of select="count(preceding-sibling::*)"/></xsl:for-each>'),
     flat(50000, lambda i: "<a><b/></a>")),
    ("preceding siblings of nodes, with other contexts inside the siblings between them",
     value("count((/r/b|/r/d/c)/preceding-sibling::*)"), flat(100000, lambda i: "<d><c/></d>" if i % 2 else "<b/>")),
    ("preceding:: of many nodes, beside a tree that exsl:node-set() has made",
     root('<xsl:variable name="v"><a/></xsl:variable><xsl:value-of select="count(exsl:node-set($v)/*)"/>'
          '<xsl:value-of select="count(//b/preceding::d)"/>'), flat(100000, lambda i: "<d/>" if i % 2 else "<b/>")),
    ("templates that call each other, each the one before it",
     SHEET % ('<xsl:template name="t0"><xsl:message>x</xsl:message></xsl:template>' + "".join(
     '<xsl:template name="t%d"><xsl:call-template name="t%d"/></xsl:template>' % (i, i - 1) for i in range(1, 60000))),
     "<r/>"),
    ("a pattern of many alternatives with predicates", SHEET % '<xsl:template match="%s"/>'
     % "|".join("a%d[b=%d]/c" % (i, i) for i in range(40000)), "<r/>"),
    ("= of large sets that share no value", value("//a = //b"), flat(60000, lambda i: "<a/>" if i % 2 else "<b>x</b>")),
    ("an xml-stylesheet instruction of ampersands", value("1"),
     "<?xml-stylesheet type='text/xsl' alternate='yes' href='" + "&" * 8000000 + "'?>"
     "<?xml-stylesheet type='text/xsl' href='s.xsl'?><r/>"),
]


def many(n, item):
    return "".join(item(i) for i in range(n))


# claim, stylesheet, document (None: explained)
SHEETS = [
    ("many searches by value, each with a key of its own",
     root('<xsl:for-each select="a">%s</xsl:for-each>' % many(35000,
         lambda i: '<xsl:value-of select="/a/b[@x%d=current()/@y]"/>' % i)), "<r/>"),
    ("many templates, each in a mode of its own", SHEET % many(50000,
        lambda i: '<xsl:template match="a" mode="m%d"/>' % i), None),
    ("a search by many conditions, each with two alternatives",
     root('<xsl:for-each select="a"><xsl:variable name="v" select="@v"/>'
          '<xsl:value-of select="/a/b%s/@id"/></xsl:for-each>'
          % many(30, lambda i: "[@x%d = $v or @y%d > $v]" % (i, i))), "<r/>"),
    ("many meta elements", SHEET % '<xsl:template match="/"><html><head>%s</head></html></xsl:template>'
     % ('<meta name="a" content="b"/>' * 60000), "<r/>"),
    ("many references to one of many local variables",
     root(many(4000, lambda i: '<xsl:variable name="v%d" select="%d"/>' % (i, i)) +
           ('<xsl:value-of select="concat(1%s)"/>' % (",$v0" * 400)) * 500), "<r/>"),
    ("dyn:evaluate() among many local variables", SHEET % '<xsl:template match="a">%s</xsl:template>' % (
        many(2000, lambda i: '<xsl:variable name="v%d" select="1"/>' % i) + '<xsl:value-of select="dyn:evaluate(1)"/>'
        * 1000), "<r/>"),
    ("elements that each exclude another of many namespaces",
     SHEET.replace("xmlns:p=", many(1000, lambda i: 'xmlns:p%d="u%d" ' % (i, i)) + "xmlns:p=") %
     ('<xsl:template match="a">%s</xsl:template>'
      % (40 * (many(400, lambda i: '<a xsl:exclude-result-prefixes="p%d">' % i) + "</a>" * 400))), "<r/>"),
    ("elements within each other that all exclude many namespaces",
     SHEET.replace("xmlns:p=", many(1000, lambda i: 'xmlns:p%d="u%d" ' % (i, i)) + "xmlns:p=") %
     ('<xsl:template match="a">%s%s</xsl:template>' % (('<a xsl:exclude-result-prefixes="%s">' % many(1000,
         lambda i: "p%d " % i)) * 400, "</a>" * 400)), "<r/>"),
]


# What host steps take beside the arena counts, too. Claim, stylesheet, document: with arena=16M they take no more than
# HELD_MB of memory, the document's among it (and this script's own, which a new process begins with)
HELD_MB = 200
SMALL = ["--limit", "arena=16M", "--timeout", "3000"]
HELD = [
    ("many regular expressions, each of many groups, that match deeply",
     root('<xsl:variable name="s" select="string(/a)"/><xsl:for-each select="'
     "str:split(str:padding(60, 'x'), '')\"><xsl:value-of select=\"regexp:test($s, concat('(?:a', str:padding(800, "
     "'()'), '|b{', position(), '})*c'), '')\"/>"
     "</xsl:for-each>"), "<a>" + "a" * 20 + "xyz</a>"),
    ("a regular expression of a great many groups", value("regexp:test(., concat(str:padding(20000, '(a?)'), 'c'))"),
     "<a>" + "a" * 3000 + "</a>"),
    ("a long regular expression", value("regexp:test(., string(.))"), "<a>" + "(a|b)*" * 1000000 + "</a>"),
    ("a regular expression of very many references by name", value("regexp:test(., string(.))"),
     "<a>(?&lt;a>)" + "\\k&lt;a>" * 150000 + "</a>"),
    ("a long replacement", value("string-length(regexp:replace(., '', 'g', string(.)))"), "<a>" + "x" * 20000 + "</a>"),
    ("str:replace() of what stands everywhere", value("string-length(str:replace(., 'x', ''))"),
     "<a>" + "x" * 3000000 + "</a>"),
    ("str:replace() of very many strings", value("string-length(str:replace(., //b, ''))"),
     "<a>" + "<b>x</b>" * 500000 + "</a>"),
    ("str:tokenize() into very many nodes", value("count(str:tokenize(., 'x'))"), "<a>" + "yx" * 1500000 + "</a>"),
    ("dyn:closure() of very many nodes", value("count(dyn:closure(/, '*'))"), flat(600000, lambda i: "<b/>")),
    ("dyn:map() of very many nodes", value("count(dyn:map(//b, '.'))"), flat(600000, lambda i: "<b/>")),
    ("many different long expressions",
     root('<xsl:for-each select="//b"><xsl:value-of select="dyn:evaluate(concat(position(), \'=\', '
          '/r/s))"/></xsl:for-each>'),
     "<r><s>" + "1" + " " * 100000 + "</s>" + "<b/>" * 3000 + "</r>"),
]


def run(sheet, xml, *options):
    with open("s.xsl", "w") as f:
        f.write(sheet)
    with open("d.xml", "w", encoding="utf-8") as f:
        f.write(xml or "")
    with open("err", "wb") as err:
        files = ["s.xsl"] * (xml is None or "<?xml-stylesheet" not in xml[:20]) + ["d.xml"] * bool(xml)
        p = subprocess.Popen([GPUXSLT, *options, *files], stdout=subprocess.DEVNULL, stderr=err, preexec_fn=bounded)
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    with open("err", "rb") as err:
        return p.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, err.read().decode("utf-8",
            "replace")


def bounded():
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))


folder = tempfile.TemporaryDirectory(prefix="gpuxml-bombs-")
os.chdir(folder.name)
n = 0
for claim, sheet, xml, *megabytes in CASES + PROMPT + [case + (300,) for case in SHEETS]:
    may_fail = n < len(CASES)
    # a busy machine's clock is no measure of what must succeed
    options = ["--timeout", str(MS)] if may_fail else [] if xml else ["--explain"]
    status, cpu, memory, err = run(sheet, xml, *options)
    ended = status == 0 or (may_fail and status in (6, 9) and any(why in err
        for why in ("takes longer than", "raises this limit", "none can have more", "write nothing")))
    n += 1
    good = ended and cpu < (MS / 1000 + 1 if may_fail else PROMPT_S) and memory < (megabytes or [200])[0]
    print("%sok %d - %s" % ("" if good else "not ", n, claim))
    if not good:
        print("#   status %s, %.2f s, %d MB: %s" % (status, cpu, memory, err[:200].replace("\n", " ")), flush=True)
for claim, sheet, xml in HELD:
    status, cpu, memory, err = run(sheet, xml, *SMALL)
    n += 1
    good = (status == 0 or (status in (6, 9, 10) and any(why in err
        for why in ("takes longer than", "raises this limit", "is malformed at")))) and memory < HELD_MB
    print("%sok %d - arena=16M: %s" % ("" if good else "not ", n, claim))
    if not good:
        print("#   status %s, %.2f s, %d MB: %s" % (status, cpu, memory, err[:200].replace("\n", " ")), flush=True)
print("1..%d" % n)
