#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""httpd -t finds what is wrong with directives and stylesheets, and says where; stylesheets are exchanged while httpd
runs."""
import http.client
import os
import signal
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()


def page(word):
    return sheet('<xsl:output method="html"/><xsl:param name="p"/><xsl:template '
                 'match="/"><html><i>%s</i></html></xsl:template>' % word)


def catalog(entries):
    return '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">%s</catalog>' % entries


BAD = [     # directives, what httpd -t says
    ("GPUXMLEngine fast", "GPUXMLEngine must be auto, gpu, cpu, worker or off"),
    ("<Location />\nGPUXMLEngine cpu\n</Location>", "not allowed|cannot occur"),
    ("GPUXMLStylesheet conf/xsl/none.xsl", r"line \d+ of .*httpd.conf: GPUXMLStylesheet: .*none.xsl"),
    ("GPUXMLStylesheet http://example.com/a.xsl", "GPUXMLStylesheet takes the path of a file"),
    ("GPUXMLStylesheet conf/xsl/malformed.xsl", r"line \d+ of .*httpd.conf: GPUXMLStylesheet: .*malformed.xsl:3:\d+: "),
    ("GPUXMLStylesheet conf/xsl/xpath.xsl", r"line \d+ of .*: GPUXMLStylesheet: .*xpath.xsl:2:\d+: "),
    ("GPUXMLStylesheet conf/xsl/importer.xsl", r"GPUXMLStylesheet: .*malformed.xsl:3:\d+: "),
    ("GPUXMLStylesheet conf/xsl/out.xsl", r"GPUXMLStylesheet: .*out.xsl:1:\d+: .*secret.xsl\" [(]/.*/secret.xsl[)]: no "
                                          r"such file beneath"),
    ("GPUXMLStylesheet conf/xsl/media.xsl", r'GPUXMLStylesheet: .*media.xsl: xsl:output: media-type "text/<html>" is '
                                            r'not of the form type/subtype'),
    ("GPUXMLStylesheet \"%{nonsense\"", "GPUXMLStylesheet"),
    ("GPUXMLSelect //[", r"line \d+ of .*: GPUXMLSelect: "),
    ("GPUXMLNamespace q urn:q\n<Location /x>\nGPUXMLSelect //q:a\n</Location>",
     r"GPUXMLSelect: .*q.*GPUXMLNamespace declares one, in the same section"),
    ("GPUXMLNamespace xml urn:x", "GPUXMLNamespace takes"),
    ("GPUXMLNamespace x http://www.w3.org/XML/1998/namespace", "GPUXMLNamespace takes"),
    ("GPUXMLNamespace xmlns http://www.w3.org/2000/xmlns/", "GPUXMLNamespace takes"),
    ("GPUXMLNamespace x http://www.w3.org/2000/xmlns/", "GPUXMLNamespace takes"),
    ("GPUXMLNamespace x \"\"", "GPUXMLNamespace takes"),
    ("GPUXMLSelect //a as html", "GPUXMLSelect takes"),
    ("GPUXMLSelect //a as xml 1a", "wrapper is an element name"),
    ("GPUXMLSelect //a\nGPUXMLStylesheet conf/xsl/a.xsl", "exclude each other"),
    ("GPUXMLWhen \"%{HTTP:Accept} =~\"", "GPUXMLWhen: "),
    ("GPUXMLWhen %{HTTP:Accept} =~ m#html#", "GPUXMLWhen takes one argument, an expression, in quotes"),
    ("GPUXMLSelect //a | //b", "GPUXMLSelect takes an XPath expression .in quotes"),
    ("GPUXMLParam p \"%{HTTP:X\"", "GPUXMLParam"),
    ("GPUXMLParam p a\x01", "GPUXMLParam p: the value must be characters of XML in UTF-8"),
    ("GPUXMLTypes xml", "GPUXMLTypes takes"),
    ("GPUXMLTypes text/xml,application/xml", "GPUXMLTypes takes .* with spaces between them"),
    ("GPUXMLTypes \"text/xml; charset=utf-8\"", "GPUXMLTypes takes.* has a charset"),
    ("GPUXMLTypes \"text/xml; a\"", "GPUXMLTypes takes .* has a parameter without a value"),
    ("GPUXMLTypes text/*", "GPUXMLTypes takes .* is a range of types"),
    ("GPUXMLTypes +", "GPUXMLTypes takes"),
    ("GPUXMLTypes /xml", "GPUXMLTypes takes"),
    ("GPUXMLLimit depth=x", "GPUXMLLimit depth=x: "),
    ("GPUXMLLimit no_such=1", "GPUXMLLimit no_such=1: "),
    ("GPUXMLLimit depth=-1", "GPUXMLLimit depth=-1: "),
    ("GPUXMLTimeout 0", "GPUXMLTimeout must be"),
    ("GPUXMLOnError source=pass", "cannot be passed on"),
    ("GPUXMLOnError sheet=200", "GPUXMLOnError: the value"),
    ("GPUXMLOnError source=499", "GPUXMLOnError: the value is a status from 400 to 599 that httpd knows"),
    ("GPUXMLOnError who=500", "GPUXMLOnError takes"),
    ("GPUXMLDTD yes", "GPUXMLDTD takes"),
    ("GPUXMLDTD entities=latin1", "GPUXMLDTD takes .*entities=html"),
    ("GPUXMLOutput type=text", "GPUXMLOutput: .text. is not of the form type/subtype"),
    ("GPUXMLOutput \"type=text/html\\r\\nX: y\"", "GPUXMLOutput: .* has something behind the type"),
    ("GPUXMLOutput type=/", "GPUXMLOutput: .* is not of the form"),
    ("GPUXMLOutput type=text/", "GPUXMLOutput: .* is not of the form"),
    ("GPUXMLOutput type=/html", "GPUXMLOutput: .* is not of the form"),
    ("GPUXMLOutput type=text/html/x", "GPUXMLOutput: .* has something behind the type"),
    ("GPUXMLOutput \"type=text/html; charset=utf-8\"", "GPUXMLOutput: .* has a charset, which is an argument of its "
                                                       "own: charset=name"),
    ("GPUXMLOutput 'type=text/html; a=\"b'", "GPUXMLOutput: .* has a quote that is not closed"),
    ("GPUXMLOutput size=1", "GPUXMLOutput takes"),
    ("GPUXMLOutput charset=nonsense", "GPUXMLOutput: nothing can be written in charset nonsense"),
    ("GPUXMLStylesheetPI yes", "GPUXMLStylesheetPI must be"),
    ("GPUXMLNamespaces loose", "GPUXMLNamespaces must be strict or lenient"),
    ("GPUXMLDocument all", "GPUXMLDocument must be"),
    ("GPUXMLStylesheetRoot no-such-dir", "no-such-dir\" is no directory"),
    ("GPUXMLCatalog conf/none.xml", r"line \d+ of .*\s+GPUXMLCatalog: .*conf/none.xml.*: No such file"),
    ("GPUXMLCatalog conf/catalog.xml conf/xsl/malformed.xsl",
     r"GPUXMLCatalog: .*conf/xsl/malformed.xsl:3:\d+: mismatched tag"),
    ("GPUXMLCatalog conf/xsl/a.xsl", r"GPUXMLCatalog: .*conf/xsl/a.xsl:1:1: not an XML catalog"),
    ("GPUXMLCatalog conf/entry.xml", r"GPUXMLCatalog: .*conf/entry.xml:2:1: uri needs the attribute uri"),
    ("<Location />\nGPUXMLCatalog conf/catalog.xml\n</Location>", "not allowed|cannot occur"),
    ("GPUXMLStylesheet conf/xsl/by-uri.xsl", r'by-uri.xsl:1:\d+: cannot read "http://x.invalid/part.xsl": only files '
                                             r'are read, nothing is fetched \(an XML catalog can'),
    ("GPUXMLStylesheet conf/xsl/by-uri.xsl\nGPUXMLCatalog conf/catalog.xml none",
     r'"http://x.invalid/part.xsl": only files are read, nothing is fetched \(an XML catalog can'),
    ("GPUXMLStylesheet conf/xsl/by-uri.xsl\nGPUXMLCatalog conf/other.xml",
     r'"http://x.invalid/part.xsl": only files are read, nothing is fetched, and no XML catalog maps it'),
    # what a catalog says must lie where stylesheets may
    ("GPUXMLStylesheet conf/xsl/by-uri.xsl\nGPUXMLCatalog conf/outside.xml",
     r'"http://x.invalid/part.xsl" \(by an XML catalog "file:///\S+/secret.xsl"\): no such file beneath the allowed '
     r'directories'),
    ("GPUXMLCheckFiles often", "GPUXMLCheckFiles must be"),
    ("GPUXMLParser libxml2", "GPUXMLParser must be auto or expat"),
    ("GPUXMLQueueSlots 0", "GPUXMLQueueSlots must be"),
    ("GPUXMLSharedMemory 1K", "GPUXMLSharedMemory must be"),
    ("GPUXMLSharedMemory +2M", "GPUXMLSharedMemory must be"),
    ("GPUXMLSharedMemory 2MB", "GPUXMLSharedMemory must be"),
    ("GPUXMLSharedMemory 99999999999999G", "GPUXMLSharedMemory must be"),
    ("GPUXMLSharedMemory 1025G", "GPUXMLSharedMemory must be a size from 1M to 1024G"),
    ("GPUXMLWorkerRestart 5", "GPUXMLWorkerRestart takes"),
]

web = Httpd("config")
web.put("conf/xsl/a.xsl", page("A"))
web.put("conf/xsl/malformed.xsl", '<xsl:stylesheet version="1.0" '
                                  'xmlns:xsl="http://www.w3.org/1999/XSL/Transform">\n<a>\n</b></xsl:stylesheet>')
web.put("conf/xsl/media.xsl", sheet('<xsl:output media-type="text/&lt;html&gt;"/>'))
web.put("conf/xsl/xpath.xsl", sheet('\n<xsl:template match="/"><xsl:value-of select="a["/></xsl:template>'))
web.put("conf/xsl/importer.xsl", sheet('<xsl:import href="malformed.xsl"/>'))
web.put("secret.xsl", page("SECRET"))
web.put("conf/xsl/by-uri.xsl", sheet('<xsl:import href="http://x.invalid/part.xsl"/>'))
web.put("conf/xsl/part.xsl", page("PART"))
web.put("conf/catalog.xml", catalog('<rewriteURI uriStartString="http://x.invalid/" rewritePrefix="xsl/"/><nextCatalog '
                                    'catalog="broken.xml"/>'))
web.put("conf/outside.xml", catalog('<rewriteURI uriStartString="http://x.invalid/part" rewritePrefix="../secret"/>'))
web.put("conf/other.xml", catalog('<nextCatalog catalog="broken.xml"/>'))
web.put("conf/broken.xml", "<catalog>\n")
web.put("conf/entry.xml", catalog('\n<uri name="urn:x"/>'))
web.put("conf/xsl/out.xsl", sheet('<xsl:import href="../../secret.xsl"/>'))
for text, want in BAD:
    web.conf = text
    code, said = web.test()
    ok(code != 0, "refused: " + text.splitlines()[-1] if "Location" not in text else "refused in a section")
    like(said, want, "... and why")
    ok("Syntax OK" not in said, "... not called OK")

web.conf = """
<Location /a>
    GPUXMLSelect //q:a
    GPUXMLNamespace q urn:q
    GPUXMLNamespace xml http://www.w3.org/XML/1998/namespace
</Location>
GPUXMLStylesheet conf/xsl/../xsl/a.xsl
GPUXMLStylesheetRoot conf/xsl
GPUXMLLimit depth=100 input=1M output=max
GPUXMLTypes text/xml +xml application/vnd.x-y+xml
GPUXMLOutput type=text/html charset=windows-1252
GPUXMLOutput charset=UTF-16
GPUXMLTimeout 800ms
GPUXMLOnError source=400 sheet=pass busy=pass time=503
GPUXMLOnError source=500 sheet=507 time=511
GPUXMLParam p café
GPUXMLWorkerRestart 3/10 5s
GPUXMLSharedMemory 64M
GPUXMLQueueSlots 16
GPUXMLCheckFiles off
"""
is_(web.test(), (0, "Syntax OK\n"), "all of it right; namespaces and roots may stand below")
web.conf += "GPUXMLStylesheet conf/xsl/by-uri.xsl\nGPUXMLCatalog conf/catalog.xml\n"
is_(web.test(), (0, "Syntax OK\n"), "a stylesheet's import by way of a catalog; the catalog's next one is not needed")
web.conf = web.conf.replace("GPUXMLStylesheet conf/xsl/by-uri.xsl\nGPUXMLCatalog conf/catalog.xml\n", "")
code, said = web.test("-DDUMP_GPUXML")
like(said, r"gpuxml \S+, engine auto\n  select //q:a \(.*httpd.conf:\d+\).*\n  stylesheet .*a.xsl \(.*\): \d+ bytes, "
           r"1 files", "-t -D DUMP_GPUXML")

# Debian's ServerRoot has no conf; ours has: another one is said to be it
for text, want in (("GPUXMLStylesheetPI prefer", 1), ("GPUXMLStylesheet %{HTTP:X}", 1), ("GPUXMLStylesheetPI off", 0),
                   ("GPUXMLStylesheet @ROOT@/conf/xsl/a.xsl", 0),
                   ("GPUXMLStylesheetPI prefer\nGPUXMLStylesheetRoot @ROOT@/conf/xsl", 0)):
    web.conf = 'ServerRoot "@ROOT@/htdocs"\n' + text
    code, said = web.test()
    is_((code, said.count("GX0017")), (0, want),
        ("a warning" if want else "none") + " where no root is: " + text.splitlines()[0])

web.put("conf/xsl/late.xsl", sheet('\n<xsl:template match="never"><xsl:call-template name="nowhere"/></xsl:template>'))
web.conf = "GPUXMLStylesheet conf/xsl/late.xsl"
code, said = web.test()
ok(code == 0 and "Syntax OK" in said, "what is an error only where it is reached: a warning")
like(said, "GX0015: .*late.xsl:2:29: xsl:call-template: there is no template named nowhere", "... and where")

# ---- slips ----

SLIP = '\n<xsl:template match="/"><xsl:if test="1" foo="2">%s</xsl:if></xsl:template>'
web.put("conf/xsl/slip.xsl", sheet(SLIP % "one"))
HERE = "<Location /%s.xml>\n    GPUXMLStylesheet conf/xsl/slip.xsl\n%s</Location>\n"
SAID = r"GX0018: .*slip.xsl:2:25: xsl:if may not have the attribute foo"
for text, want in ((HERE % ("a", ""), "GX0018"), (HERE % ("a", "GPUXMLStrict on\n"), "GX0001"),
                   ("GPUXMLStrict on\n" + HERE % ("a", ""), "GX0001"),
                   ("GPUXMLStrict on\n" + HERE % ("a", "GPUXMLStrict off\n"), "GX0018"),
                   (HERE % ("a", "") + HERE % ("b", "GPUXMLStrict on\n"), "GX0001")):
    web.conf = text
    code, said = web.test()
    ok((code == 0) == (want == "GX0018") and re.search(want + r": .*slip.xsl:2:25: xsl:if may not have the "
                                                              r"attribute foo", said),
       "a slip is %s: %s" % ("a warning" if want == "GX0018" else "an error", " ".join(text.split())))

# ---- live ----

CONF = """
GPUXMLCheckFiles 200ms
<Location /a.xml>
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
<Location /b.xml>
    GPUXMLStylesheet "%{HTTP:X-Sheet}"
</Location>
GPUXMLStylesheetRoot conf/xsl
<Location /gpuxml-status>
    SetHandler gpuxml-status
</Location>
"""


def soon(get, want):
    """Asks until all children have looked again, each 200 ms; a busy machine gets more time."""
    end = time.time() + 5
    good = 0
    while time.time() < end:
        a = get()
        good = good + 1 if re.search(want, a.text) else 0
        if good >= 12:
            return True
        time.sleep(0.02)
    diag("%d %r" % (a.status, a.text))
    return False


web = Httpd("slips", "GPUXMLCheckFiles 200ms\nGPUXMLStylesheetRoot conf/xsl\n" + HERE % ("a", "") + "".join(
    '<Location /%s.xml>\n    GPUXMLStylesheet "%%{HTTP:X-Sheet}"\n    GPUXMLStrict %s\n</Location>\n' % (n, on) for n,
    on in (("b", "off"), ("c", "on"))))
web.put("conf/xsl/slip.xsl", sheet(SLIP % "one"))
for name in "abc":
    web.put("htdocs/%s.xml" % name, "<a/>")
with web:
    like("".join(web.new_log("GX0018", 5)), SAID, "a start logs it")
    is_([web.get("/%s.xml" % n, X_Sheet="slip.xsl").status for n in "abcbc"], [200, 200, 500, 200, 500],
        "one file, lenient here and strict there")
    ok("one" in web.get("/a.xml").text, "and the page is libxslt's")
    web.put("conf/xsl/slip.xsl", sheet(SLIP.replace("foo", "bar") % "two"))
    ok(soon(lambda: web.get("/a.xml"), "two"), "an edit brings another one: the new version is used")
    like("".join(web.new_log("GX0018.*bar", 5)), SAID.replace("foo", "bar"), "... and it is logged")

for mpm in ("event", "prefork"):
    web = Httpd("live-" + mpm, CONF, mpm)
    web.put("htdocs/a.xml", "<a/>")
    web.put("htdocs/b.xml", "<a/>")
    web.put("conf/xsl/part.xsl", sheet('<xsl:template name="word">P1</xsl:template>'))
    web.put("conf/xsl/names.dtd", '<!ENTITY own "D1">')
    whole = '<!DOCTYPE xsl:stylesheet SYSTEM "names.dtd" [<!ENTITY text SYSTEM "text.ent">]>' + sheet(
        '<xsl:output method="html"/><xsl:template match="/"><html><i>%s</i><xsl:call-template '
        'name="word"/><b>&own;&text;</b></html></xsl:template>',
        '<xsl:import href="part.xsl"/>')
    web.put("conf/xsl/text.ent", "E1")
    web.put("conf/xsl/a.xsl", whole.replace("%s", "A1"))
    with web:
        get = lambda: web.get("/a.xml")
        other = lambda: web.get("/b.xml", X_Sheet="a.xsl")
        for name, f in (("literal", get), ("by expression", other)):
            t = "%s %s: " % (mpm, name)
            web.put("conf/xsl/part.xsl", sheet('<xsl:template name="word">P1</xsl:template>'))
            web.put("conf/xsl/a.xsl", whole.replace("%s", "A1"))
            ok(soon(f, "<i>A1</i>P1"), t + "first version")
            etag = f()["etag"]
            web.put("conf/xsl/a.xsl", whole.replace("%s", "A2"))
            ok(soon(f, "<i>A2</i>P1"), t + "an edit is seen soon")
            ok(f()["etag"] != etag, t + "... and changes the ETag")
            is_(web.get("/a.xml", If_None_Match=etag).status, 200, t + "... so no 304 for the old page")
            web.put("conf/xsl/part.xsl", sheet('<xsl:template name="word">P2</xsl:template>'))
            ok(soon(f, "<i>A2</i>P2"), t + "an edit of an import too")
            for file, text, want in ("text.ent", "E%s", "<b>D1E2</b>"), ("names.dtd", '<!ENTITY own "D%s">',
                "<b>D2E2</b>"):
                web.put("conf/xsl/" + file, text % 2)
                ok(soon(f, want), t + "... and of " + file)
            for file, text, want in ("text.ent", "E%s", "<b>D2E1</b>"), ("names.dtd", '<!ENTITY own "D%s">',
                "<b>D1E1</b>"):
                web.put("conf/xsl/" + file, text % 1)
                soon(f, want)
            web.new_log()
            web.put("conf/xsl/part.xsl", "<broken")
            time.sleep(0.4)
            good = all(re.search("<i>A2</i>P2", f().text) for _ in range(20))
            ok(good, t + "a broken stylesheet: the last good version stays")
            time.sleep(0.5)
            [f() for _ in range(20)]
            lines = web.new_log("GX0004", 1)
            is_(len(lines), 1, t + "... one line in the log")
            like("".join(lines), r"part.xsl:1:\d+: ", t + "... with its place")
            web.put("conf/xsl/part.xsl", sheet('<xsl:template name="word">P3<xsl:value-of '
                                               'select="$nowhere"/></xsl:template>'))
            time.sleep(0.4)
            ok(all(re.search("<i>A2</i>P2", f().text) for _ in range(20)),
               t + "one that fails where that is reached does not replace it either")
            web.put("conf/xsl/part.xsl", sheet('<xsl:template name="word">P3</xsl:template>'))
            ok(soon(f, "<i>A2</i>P3"), t + "mended")
            os.unlink(web.path("conf/xsl/a.xsl"))
            time.sleep(0.4)
            ok(all(re.search("<i>A2</i>P3", f().text) for _ in range(10)), t + "deleted: the last good version stays")
        # a restart with a broken stylesheet must not take the site down
        web.put("conf/xsl/a.xsl", whole.replace("%s", "A4"))
        soon(get, "A4")
        web.graceful()
        time.sleep(0.7)
        ok(soon(get, "<i>A4</i>P3"), mpm + ": graceful restart")
        web.put("conf/xsl/a.xsl", "<broken")
        code, said = web.test()
        ok(code == 0 and "a.xsl:1:" in said and "GX0020" in said,
           mpm + ": httpd -t tells of it, and lets a server that runs go on")
        web.graceful()
        time.sleep(0.7)
        ok(web.proc.poll() is None and all(re.search("<i>A4</i>P3", get().text) for _ in range(10)),
           mpm + ": graceful restart with a broken stylesheet: the last good version stays")
        os.rename(web.path("conf/xsl"), web.path("conf/gone"))
        web.new_log()
        web.graceful()
        like("".join(web.new_log("GX0012", 5)), 'conf/xsl" is no directory',
             mpm + ": graceful restart without its folder")
        time.sleep(0.7)
        ok(web.proc.poll() is None and all(re.search("<i>A4</i>P3", get().text) for _ in range(10)),
           mpm + ": ... likewise")
        os.rename(web.path("conf/gone"), web.path("conf/xsl"))
        web.put("conf/xsl/a.xsl", whole.replace("%s", "A5"))
        ok(soon(get, "<i>A5</i>P3"), mpm + ": and the mended one comes")
        ok("exit signal" not in web.log(), mpm + ": no child died")


# ---- new children: the parent has the stylesheet of the start, their siblings have a later one ----

def new_children(web):
    """httpd's children end, one request each has time for later; the parent starts others."""
    def children():
        with open("/proc/%d/task/%d/children" % (web.proc.pid, web.proc.pid)) as f:
            return [int(pid) for pid in f.read().split()]
    old = children()
    for pid in old:
        os.kill(pid, signal.SIGTERM)
    for _ in range(100):
        time.sleep(0.05)
        now = children()
        if now and not set(now) & set(old):
            break
    return now


for mpm in ("event", "prefork"):
    web = Httpd("live-new-" + mpm, CONF + "GPUXMLEngine cpu\n", mpm)
    web.put("htdocs/a.xml", "<a/>")
    web.put("htdocs/b.xml", "<a/>")
    slow = '<xsl:template match="x"/>' * 20000          # compiling takes a good part of a second
    whole = lambda word, more="": page(word).replace("</xsl:stylesheet>", more + "</xsl:stylesheet>")
    web.put("conf/xsl/a.xsl", whole("A1"))
    get = lambda: web.get("/a.xml")

    named = lambda: web.get("/b.xml", X_Sheet="a.xsl")

    def all_are(word, n=20, get=get):
        got = []
        at_once(n, lambda k: got.append(get().text))
        return ok(len(got) == n and all("<i>%s</i>" % word in text for text in got),
                  "%s: %s" % (mpm, what)) or diag(sorted(set(got)))

    many = ["n%d" % k for k in range(60)]           # more than the store could keep by chance alone
    each = lambda: [n for n in many if "<i>%s</i>" % n not in web.get("/b.xml", X_Sheet=n + ".xsl").text]
    for n in many:
        web.put("conf/xsl/%s.xsl" % n, page(n))

    with web:
        each()
        web.put("conf/xsl/a.xsl", whole("A2"))
        soon(get, "A2")
        soon(named, "A2")
        for n in ["a"] + many:
            web.put("conf/xsl/%s.xsl" % n, "<broken")
        soon(get, "A2")
        what = "broken after an edit: new children serve what their siblings served"
        new_children(web)
        all_are("A2")
        what = "... also of a stylesheet that requests name"
        all_are("A2", get=named)
        is_(each(), [], mpm + ": ... and of many that they name")
        web.graceful()
        time.sleep(0.7)
        what = "... and those of a graceful restart"
        all_are("A2")
        all_are("A2", get=named)
        web.put("conf/xsl/a.xsl", whole("A3"))
        ok(soon(get, "A3"), mpm + ": ... until it is mended")
        web.put("conf/xsl/a.xsl", whole("A4", slow))
        end = time.time() + 20
        while "A4" not in get().text and time.time() < end:
            time.sleep(0.1)
        new_children(web)
        what = "a new child that compiles has nothing older for the other threads"
        all_are("A4")
        ok("exit signal" not in web.log().replace("exit signal Terminated", ""), mpm + ": no child died of it")

# ---- catalogs: an edit of one is an edit of the stylesheets that it was asked for; document() keeps to what it may
# read ----

web = Httpd("catalog", CONF + """
GPUXMLCatalog conf/catalog.xml
<Location /doc.xml>
    GPUXMLStylesheet conf/xsl/doc.xsl
    GPUXMLDocument file
</Location>
<Location /off.xml>
    GPUXMLStylesheet conf/xsl/doc.xsl
</Location>
""")
for name in "a", "b", "doc", "off":
    web.put("htdocs/%s.xml" % name, '<?oasis-xml-catalog catalog="../conf/own.xml"?><a xmlns:u="urn:own"/>')
for name in "P1", "P2":
    web.put("conf/xsl/%s.xsl" % name, sheet('<xsl:template name="word">%s</xsl:template>' % name))
    web.put("conf/xsl/%s.xml" % name, '<!DOCTYPE w PUBLIC "-//W//EN" "http://x.invalid/w.dtd"><w>&word;</w>')
web.put("conf/xsl/w.dtd", '<!ENTITY word "from the DTD">')
web.put("secret.xml", "<w>SECRET</w>")
web.put("conf/own.xml", catalog('<uri name="urn:own" uri="xsl/P1.xml"/>'))
imports = sheet('<xsl:output method="html"/><xsl:template match="/"><html><xsl:call-template '
                'name="word"/></html></xsl:template>',
                '<xsl:import href="http://x.invalid/word.xsl"/>')
web.put("conf/xsl/a.xsl", imports)
web.put("conf/xsl/doc.xsl", sheet('<xsl:output method="html"/><xsl:template match="/"><html>[<xsl:value-of '
                                  'select="document(\'http://x.invalid/doc\')"/>]'
                                  '[<xsl:value-of select="document(\'http://x.invalid/secret.xml\')"/>]'
                                  '[<xsl:value-of select="document(\'urn:own\')"/>]</html></xsl:template>'))


def put_catalog(word):
    web.put("conf/next.xml", catalog('<uri name="http://x.invalid/word.xsl" uri="xsl/%s.xsl"/><uri '
                                     'name="http://x.invalid/doc" uri="xsl/%s.xml"/>'
                                     '<rewriteURI uriStartString="http://x.invalid/" rewritePrefix="../"/>'
                                     '<public publicId="-//W//EN" uri="xsl/w.dtd"/>' % (word, word)))


web.put("conf/catalog.xml", catalog('<nextCatalog catalog="next.xml"/>'))
put_catalog("P1")
with web:
    for name, f in (("literal", lambda: web.get("/a.xml")),
                    ("by expression", lambda: web.get("/b.xml", X_Sheet="a.xsl"))):
        put_catalog("P1")
        ok(soon(f, "<html>P1"), "catalog, %s: an import by way of it" % name)
        put_catalog("P2")
        ok(soon(f, "<html>P2"), "catalog, %s: an edit of it is seen soon" % name)
        web.new_log()
        web.put("conf/next.xml", "<broken")
        time.sleep(0.4)
        ok(all(re.search("<html>P2", f().text) for _ in range(20)),
           "catalog, %s: a broken one: the last good version stays" % name)
        time.sleep(0.5)
        [f() for _ in range(20)]
        log = web.new_log("GX0004", 1)
        like("".join(log), 'no XML catalog maps it to a file', "... and the log says why")
        is_(len([line for line in web.log().splitlines() if "GX0013" in line]), 1 if name == "literal" else 2,
            "... and once which catalog it was")
        like(web.log(), r"GX0013: GPUXMLCatalog: passed over: \S+/conf/next.xml:1:\d+: ", "... with its place")
        put_catalog("P1")
        ok(soon(f, "<html>P1"), "catalog, %s: mended" % name)
    is_(web.get("/doc.xml").text.strip(), "<html>[from the DTD][][]</html>",
        "document() by way of a catalog: what lies beneath the roots, no catalog of the document's")
    put_catalog("P2")
    is_(web.get("/doc.xml").text.strip(), "<html>[from the DTD][][]</html>", "... and after an edit")
    is_(web.get("/off.xml").status, 500, "... nothing where GPUXMLDocument does not allow it")
    ok("SECRET" not in web.log(), "... nor in the log")
    web.put("conf/catalog.xml", "<broken")
    web.graceful()
    like("".join(web.new_log("GX0014", 5)), r"GPUXMLCatalog: \S+/conf/catalog.xml:1:\d+: ",
         "graceful restart with a broken catalog: an error in the log")
    time.sleep(0.7)
    ok(web.proc.poll() is None and all(re.search("<html>P", web.get("/a.xml").text) for _ in range(10)),
       "... and the last good version stays")
    web.put("conf/catalog.xml", catalog('<nextCatalog catalog="next.xml"/>'))

# files whose times are in the future are not compiled for ever
web = Httpd("future", """
ServerLimit 1
MaxRequestWorkers 25
GPUXMLCheckFiles 0
<Location /now.xml>
    GPUXMLStylesheet conf/xsl/now.xsl
</Location>
<Location /future.xml>
    GPUXMLStylesheet conf/xsl/future.xsl
</Location>
""")
for name in "now", "future":
    web.put("htdocs/%s.xml" % name, "<a/>")
    path = web.put("conf/xsl/%s.xsl" % name,
                   sheet('<xsl:template match="/">%s</xsl:template>' % name + '<xsl:template match="b[c]"/>' * 5000))
os.utime(path, (time.time() + 100000,) * 2)
with web:
    took = {}
    for name in "now", "future":
        start = time.time()
        while time.time() < start + 2.5:        # until it is settled
            web.get("/%s.xml" % name)
        took[name] = []
        for _ in range(40):
            start = time.time()
            web.get("/%s.xml" % name)
            took[name].append(time.time() - start)
        took[name] = min(took[name])            # whatever else this machine does
    ok(took["future"] < 5 * took["now"], "a stylesheet from the future settles, too") or diag(took)
    web.put("conf/xsl/future.xsl", sheet('<xsl:template match="/">edited</xsl:template>'))
    like(web.get("/future.xml").text, "edited", "... and an edit of it is seen")

# what many virtual hosts name is compiled once; what many requests name is kept
SAME = """
GPUXMLCheckFiles 200ms
<VirtualHost *>
    ServerName one.test
    GPUXMLStylesheet conf/xsl/a.xsl
</VirtualHost>
<VirtualHost *>
    ServerName two.test
    GPUXMLStylesheet conf/xsl/a.xsl
</VirtualHost>
<VirtualHost *>
    ServerName roots.test
    GPUXMLStylesheetRoot conf/xsl
    GPUXMLStylesheet conf/xsl/a.xsl
</VirtualHost>
"""
STATUS = "<Location /status>\nSetHandler gpuxml-status\n</Location>\n"
ONE_CHILD = "ServerLimit 1\nMaxRequestWorkers 25\n"
web = Httpd("same", SAME + STATUS + ONE_CHILD)
web.put("htdocs/a.xml", "<a/>")
web.put("conf/xsl/a.xsl", "<broken")
is_(web.test()[1].count("GX0001"), 1, "virtual hosts that name the same broken stylesheet: one error, whatever "
                                      "their roots")
web.put("conf/xsl/a.xsl", page("A1"))
is_(len(re.findall(r"a.xsl \(\S+\): \d+ bytes", web.test("-DDUMP_GPUXML")[1])), 3,
    "... which -D DUMP_GPUXML shows for each")
HOSTS = "one", "two", "roots"
with web:
    ask_all = lambda: [web.get("/a.xml", Host=name + ".test") for name in HOSTS]
    ok(all("A1" in a.text for a in ask_all()), "... its page is each one's")
    web.put("conf/xsl/a.xsl", page("A2"))
    for name in HOSTS:
        ok(soon(lambda: web.get("/a.xml", Host=name + ".test"), "A2"), "... an edit too")
    is_(status(web)["Reloads"], 2, "... compiled once for those with the same roots")

web = Httpd("found", "GPUXMLCheckFiles off\nGPUXMLStylesheet \"xsl/%{HTTP:X-Sheet}.xsl\"\n" + ONE_CHILD)
web.put("htdocs/a.xml", "<a/>")
N = 600
for i in range(N):
    web.put("conf/xsl/%d.xsl" % i, page("A%d." % i))
with web:
    first = [web.get("/a.xml", X_Sheet=str(i)).text for i in range(N)]
    ok(all("A%d." % i in first[i] for i in range(N)), "%d stylesheets that requests name" % N)
    for i in range(N):
        web.put("conf/xsl/%d.xsl" % i, page("B%d." % i))
    is_(sum(web.get("/a.xml", X_Sheet=str(i)).text == first[i] for i in range(N)), N, "... are kept, all of them")

    web.put("conf/xsl/late.xsl", "<broken")
    is_(web.get("/a.xml", X_Sheet="late").status, 500, "... one that does not compile")
    web.put("conf/xsl/late.xsl", page("late"))
    for _ in range(100):
        a = web.get("/a.xml", X_Sheet="late")
        if a.status == 200:
            break
        time.sleep(0.1)
    like(a.text, "late", "... is looked at again")

# the table of those holds 4096: one virtual host that names more takes no place of another's
web = Httpd("share", "GPUXMLCheckFiles off\n" + ONE_CHILD + "".join("""
<VirtualHost *>
    ServerName %s.test
    GPUXMLStylesheetRoot conf/xsl/%s
    GPUXMLStylesheet "%%{HTTP:X-Sheet}.xsl"
</VirtualHost>""" % (name, name) for name in ("many", "few")))
web.put("htdocs/a.xml", "<a/>")
for name in "many", "few":
    web.put("conf/xsl/%s/0.xsl" % name, page("A"))
for i in range(1, 4200):
    os.link(web.path("conf/xsl/many/0.xsl"), web.path("conf/xsl/many/%d.xsl" % i))
with web:
    like(web.get("/a.xml", Host="few.test", X_Sheet="0").text, "<i>A</i>",
         "a stylesheet that one virtual host's requests name")
    client = http.client.HTTPConnection("127.0.0.1", web.port)
    for i in range(4200):
        client.request("GET", "/a.xml", headers={"Host": "many.test", "X-Sheet": str(i)})
        text = client.getresponse().read().decode()
    client.close()
    like(text, "<i>A</i>", "... 4200 that another's name")
    for name in "many", "few":
        web.put("conf/xsl/%s/0.xsl" % name, page("B"))
    for name, want in ("few", "A"), ("many", "B"):
        like(web.get("/a.xml", Host=name + ".test", X_Sheet="0").text, "<i>%s</i>" % want,
             "... of which the first gives way, not the one's: " + name)

# who waits for a compiler waits no longer than for a page; nobody else does
web = Httpd("compiling", "GPUXMLCompileLimit memory=2G\nGPUXMLTimeout 200ms\nGPUXMLStylesheet "
                         "\"xsl/%{HTTP:X-Sheet}.xsl\"\n" + ONE_CHILD)
web.put("htdocs/a.xml", "<a/>")
web.put("conf/xsl/a.xsl", page("A"))
web.put("conf/xsl/slow.xsl", sheet('<xsl:template match="/">A</xsl:template>'
                                       + '<xsl:template match="x[@a=1]"><xsl:value-of '
                                         'select="b/c[d=2]"/></xsl:template>' * (100000 // SLOW)))
with web:
    got, others = [], []
    at_once(10, lambda k: got.append(web.get("/a.xml", X_Sheet="slow")) if k else (time.sleep(0.1),
        others.append(web.get("/a.xml", X_Sheet="a"))))
    waited = [a for a in got if a.status == 503]
    ok(len(got) == 9 and waited and all(a["retry-after"] == "1" for a in waited),
       "a stylesheet that is long in compiling: 503 for those who wait") \
        or diag([a.status for a in got])
    like("".join(web.new_log("GX0119", 1)), "GX0119: no capacity: .*slow.xsl: it is still being compiled",
         "... and the log says why")
    is_(others[0].status, 200, "... others do not wait")
    is_(web.get("/a.xml", X_Sheet="slow").status, 200, "... and then it is there")

# a small stack is told of at start, not by a child's end; one that the deepest stylesheet and expression need is none
deep = sheet('<xsl:template match="/">%s<xsl:value-of select="%s"/>%s</xsl:template>'
             % ("<xsl:if test='true()'>" * 500, "not(" * 999 + "1" + ")" * 999, "</xsl:if>" * 500))
for size, said in (262144, ["GX0016"]), (1048576, []):
    web = Httpd("stack", "ThreadStackSize %d\nGPUXMLStylesheet \"xsl/%%{HTTP:X-Sheet}.xsl\"\n" % size)
    web.put("htdocs/a.xml", "<a/>")
    web.put("conf/xsl/deep.xsl", deep)
    with web:
        is_(re.findall("GX0016", "".join(web.new_log("GX0|resuming normal", 5))), said, "ThreadStackSize %d" % size)
        if not said and not PRELOAD:        # a sanitizer's frames are larger
            is_((web.get("/a.xml", X_Sheet="deep").status, "exit signal" in web.log()), (200, False), "... is enough")
done()
