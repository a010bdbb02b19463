#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""conf/: every ready configuration, included as it stands: it starts, and does what its first lines say."""
import http.client
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
READERS = ("application/atom+xml, application/rss+xml, application/rdf+xml;q=0.9, application/xml;q=0.8, "
           "text/xml;q=0.8, text/html;q=0.7, unknown/unknown;q=0.1",
           "application/rss+xml,application/xml;q=0.9,text/html;q=0.5", "*/*", None)
tried = set()


def server(name, before="", modules=(), conf=None):
    """An httpd that includes conf/NAME.conf, with a copy of conf/ that its children can read."""
    web = Httpd("conf-" + name, before.replace("@SHARE@", "@ROOT@/share") + '\nDefine GPUXML_SHARE "@ROOT@/share"\n' +
                (conf if conf is not None else 'Include "@ROOT@/share/conf/%s.conf"\n' % name), modules=modules)
    shutil.copytree(os.path.join(ROOT, "conf"), web.path("share/conf"))
    tried.add(name)
    return web


def get(web, path, accept=BROWSER, **headers):
    return web.get(path, **({"Accept": accept} if accept else {}), **headers)


RSS = ('<?xml version="1.0"?><?xml-stylesheet href="gone.xsl" type="text/xsl"?><rss version="2.0"><channel><title>News '
       '&amp; more</title><link>http://a.example/</link>'
       '<item><title>First</title><link>javascript:alert(1)</link><description>&lt;p '
       'onclick="x()"&gt;words&lt;/p&gt;</description><pubDate>Mon, 2 Mar 2026</pubDate></item>'
       '<item><title>Second</title><link>http://a.example/2</link></item></channel></rss>')
ATOM = ('<feed xmlns="http://www.w3.org/2005/Atom"><title>Atoms</title><entry><title>One</title><link rel="self" '
        'href="x"/><link href="/1"/><updated>2026-03-02</updated></entry>'
        '<entry><title>Two</title><link href="/2"/></entry></feed>')

web = server("feeds")
for path, text in (("feed.xml", RSS), ("blog/atom.xml", ATOM), ("a.rss", RSS), ("other.xml", RSS)):
    web.put("htdocs/" + path, text)
web.put("htdocs/old.rdf", '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
                          'xmlns="http://purl.org/rss/1.0/"><channel><title>Old</title></channel>'
        '<item><title>Item</title></item></rdf:RDF>')
web.conf += "AddType application/rdf+xml .rdf\n"
with web:
    a = get(web, "/feed.xml")
    is_((a.status, a["content-type"].lower()), (200, "text/html; charset=utf-8"), "feeds: a browser gets a page")
    like(a.text, "<h1>News &amp; more</h1>.*<h2>First</h2>.*> *words *<.*<a href=\"http://a.example/2\">Second</a>",
         "... with its entries")
    ok("javascript:" not in a.text and "onclick" not in a.text, "... and no script of the feed's")
    like(a["vary"], "Accept", "... which depends on Accept")
    like(get(web, "/blog/atom.xml").text, '<h1>Atoms</h1>.*<a href="/1">One</a>', "... Atom, too")
    like(get(web, "/old.rdf").text, "<h1>Old</h1>.*Item", "... and RSS 1.0")
    for accept in READERS:
        is_(get(web, "/a.rss", accept).text, RSS, "a feed reader gets the feed: %s" % accept)
    is_(get(web, "/other.xml").text, RSS, "other addresses are left alone")

web = server("sitemap")
web.put("htdocs/wp-sitemap-posts-1.xml", '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
                                         'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">'
        '<url><loc>http://a.example/p</loc><lastmod>2026-03-02T10:11:12Z</lastmod><image:image/><image:image/></url></'
        'urlset>')
web.put("htdocs/sitemap_index.xml", '<sitemapindex '
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>http://a.example/s.xml</loc></sitemap></'
    'sitemapindex>')
with web:
    like(get(web, "/wp-sitemap-posts-1.xml").text, '<a href="http://a.example/p">http://a.example/p</a></td><td '
                                                   'class="number">2</td><td>2026-03-02 10:11', "sitemap: a table")
    like(get(web, "/sitemap_index.xml").text, "<h1>Sitemap index</h1>", "... of sitemaps, too")
    like(get(web, "/sitemap_index.xml", "*/*").text, "^<sitemapindex", "a search engine gets it as it is")

web = server("oai-pmh")
web.put("htdocs/oai/index.xml",
    '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-03-02</responseDate><request '
    'verb="ListRecords">http://a.example</request>'
        '<ListRecords><record><header><identifier>oai:a:1</identifier><datestamp>2026</datestamp></header><metadata>'
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A '
        'paper</dc:title><dc:creator>Me</dc:creator></oai_dc:dc></metadata></record>'
        '<resumptionToken completeListSize="7">t0k</resumptionToken></ListRecords></OAI-PMH>')
web.put("htdocs/oai/error.xml", '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><request>x</request><error '
                                'code="badVerb">no</error></OAI-PMH>')
with web:
    like(get(web, "/oai/index.xml").text, r'<h2>A paper</h2>.*creator</th><td>Me</td>.*<a '
        r'href="\?verb=ListRecords&amp;resumptionToken=t0k">More of 7</a>', "oai-pmh: records, and the way to more")
    like(get(web, "/oai/error.xml").text, "Error: badVerb", "... and errors")
    like(get(web, "/oai/index.xml", "text/xml").text, "^<OAI-PMH", "a harvester gets the XML")

web = server("xforms", 'Define GPUXML_XSLTFORMS "@ROOT@/xsltforms"\n')
web.put("xsltforms/xsltforms.xsl", sheet('<xsl:template match="/"><html><head><script '
    'src="/xsltforms/x.js"></script></head><body><xsl:value-of select="count(//xf:input)" '
    'xmlns:xf="http://www.w3.org/2002/xforms"/> inputs</body></html></xsl:template>'))
web.put("xsltforms/x.js", "// script")
web.put("htdocs/form.xhtml", '<?xml-stylesheet href="/xsltforms/xsltforms.xsl" type="text/xsl"?><html '
    'xmlns="http://www.w3.org/1999/xhtml" '
    'xmlns:xf="http://www.w3.org/2002/xforms"><body><xf:input/><xf:input/></body></html>')
web.put("htdocs/plain.xhtml", '<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>')
with web:
    like(get(web, "/form.xhtml").text, "2 inputs", "xforms: the page's stylesheet runs")
    is_(get(web, "/xsltforms/x.js").text, "// script", "... and its scripts are served")
    like(get(web, "/plain.xhtml").text, '^<html xmlns="http://www.w3.org/1999/xhtml"><body/>',
         "a page without the instruction is left alone")


web = server("docbook", 'Define GPUXML_DOCBOOK_XSL "@ROOT@/conf/xsl/docbook.xsl"\nDefine GPUXML_DOCBOOK_ROOT '
                        '"@ROOT@/conf/xsl"\n')
web.put("conf/xsl/docbook.xsl", sheet('<xsl:template match="/"><html><h1><xsl:value-of '
                                      'select="//title"/></h1></html></xsl:template>'))
web.put("htdocs/docbook/a.xml", '<!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" '
    '"http://www.oasis-open.org/docbook/xml/4.5/docbookx.dtd"><article><title>A&nbsp;manual</title><para>x</para></'
    'article>')
with web:
    like(get(web, "/docbook/a.xml").text, "A(\u00a0|&nbsp;|&#160;)manual",
         "docbook: an article, with a stylesheet in place of docbook-xsl")
if os.path.exists("/usr/share/xml/docbook/stylesheet/docbook-xsl/xhtml/docbook.xsl"):
    web = server("docbook", "<Location /layer/>\nGPUXMLStylesheet conf/xsl/layer.xsl\nGPUXMLDocument "
                            "file\n</Location>\n")
    web.put("conf/xsl/layer.xsl", sheet('<xsl:param name="section.autolabel" select="1"/>',
        '<xsl:import href="http://docbook.sourceforge.net/release/xsl/current/html/docbook.xsl"/>'))
    web.put("htdocs/layer/a.xml",
            '<article lang="de"><title>T</title><section><title>S</title><para>x</para></section></article>')
    web.put("htdocs/docbook/a.xml", '<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" '
                                    '"http://www.oasis-open.org/docbook/xml/4.5/docbookx.dtd"><book lang="de">'
            '<title>T&nbsp;x</title><chapter id="c"><title>C</title><para>see <xref '
            'linkend="d"/></para></chapter><chapter id="d"><title>D</title><para>x</para></chapter></book>')
    with web:
        a = get(web, "/docbook/a.xml")
        is_(a.status, 200, "docbook: a book, with Debian's docbook-xsl")
        like(a.text, "Inhaltsverzeichnis.*Kapitel.2, <em>D</em>", "... whose texts are the language's")
        like(get(web, "/layer/a.xml").text, "Inhaltsverzeichnis.*1. S", "... a layer over them, by the XML catalog")
    web = server("docbook", 'Define GPUXML_DOCBOOK_ROOT "@ROOT@/conf/xsl"\n')
    code, said = web.test()
    ok(code != 0, "docbook: a root that lacks the stylesheets' modules")
    like(said, r'cannot read "../VERSION.xsl" \S+: no such file beneath the allowed directories \(GPUXMLStylesheetRoot '
               r'allows them\)', "... the message names the directive")
else:
    ok(True, "docbook-xsl # SKIP it is not installed")

back = Backend(lambda r: answer(r, ATOM.encode(), "application/atom+xml"))
web = server("api", 'Define GPUXML_API_SOURCE "http://127.0.0.1:%d/feed.atom"\n' % back.port)
with web:
    a = get(web, "/api/titles")
    like(a.text, "<titles>\\s*<title[^>]*>One</title>\\s*<title[^>]*>Two</title>\\s*</titles>",
         "api: titles in an element that holds them")
    is_(get(web, "/api/links").text, "x\n/1\n/2\n", "... and links, one a line")

web = server("autoindex", 'Define GPUXML_LISTINGS "@ROOT@/htdocs/files"\n', modules=["autoindex"])
web.put("htdocs/files/a & b.txt", "x" * 3000)
web.put("htdocs/files/folder/x.txt", "x")
with web:
    a = get(web, "/files/")
    like(a.text, r'<h1>Index of /files</h1>.*<a href="a%20&amp;%20b.txt">a &amp; b.txt</a></td><td>20\d\d-.*2.9K',
         "autoindex: a listing as a page")
    is_(get(web, "/files/a%20&%20b.txt").text, "x" * 3000, "... and the files themselves")

port = free_port()
web = server("webdav", 'Define GPUXML_DAV_SERVER "http://127.0.0.1:%d"\nListen 127.0.0.1:%d\n<Directory '
    '"@ROOT@/htdocs/dav">\nDav On\n</Directory>\nDavLockDB "@ROOT@/run/dav"\n' % (port, port),
        modules=["dav", "dav_fs"])
web.put("htdocs/dav/a.txt", "x" * 10)
web.put("htdocs/dav/sub/b.txt", "y")
with web:
    like(get(web, "/dav-pages/").text, r'<a href="/dav/sub/">sub/</a>.*<a href="/dav/a.txt">a.txt</a>.*>10<',
         "webdav: a folder as a page")
    like(get(web, "/dav-pages/sub/").text, '<a href="/dav/sub/b.txt">b.txt</a>', "... and folders in it")
    is_(get(web, "/dav-pages/none/").status, 404, "... and none")
    is_(get(web, "/dav-pages/a%20b;x/").status, 404, "an address that a shell might mind")

asked = []
back = Backend(lambda r: (asked.append(r.path), answer(r, b"<a>text</a>", Cache_Control="max-age=60")))
web = server("cache", 'Define GPUXML_CACHE_ROOT "@ROOT@/cache"\nProxyPass "/back/" "http://127.0.0.1:%d/"\n<Location '
    '"/back/">\nGPUXMLStylesheet conf/xsl/p.xsl\n</Location>\n' % back.port, modules=["cache", "cache_disk"])
web.put("conf/xsl/p.xsl", sheet('<xsl:template match="/"><p><xsl:value-of select="."/></p></xsl:template>'))
os.makedirs(web.path("cache"))
with web:
    if os.getuid() == 0:
        shutil.chown(web.path("cache"), "www-data")
    first, second = get(web, "/back/x.xml"), get(web, "/back/x.xml")
    like(first.text, "<p>text</p>", "cache: a page")
    is_((second.text, len(asked)), (first.text, 1), "... which is kept")
    like(second["x-cache"], "HIT", "... by mod_cache")

web = server("gpu", "GPUXMLStylesheet conf/xsl/p.xsl\n")
web.put("conf/xsl/p.xsl", sheet('<xsl:template match="/"><p><xsl:value-of select="."/></p></xsl:template>'))
web.put("htdocs/a.xml", "<a>text</a>")
code, said = web.test()
ok(code == 0, "gpu: the configuration is right") or diag(said)

web = server("container", 'Define GPUXML_SITE "@ROOT@/htdocs"\nDefine GPUXML_SHEETS "@ROOT@/srv"\n')
web.put("srv/p.xsl", sheet('<xsl:template match="/"><p><xsl:value-of select="."/></p></xsl:template>'))
web.put("htdocs/a.xml", '<?xml-stylesheet type="text/xsl" href="/xsl/p.xsl"?><a>text</a>')
with web:
    like(get(web, "/a.xml").text, "<p>text</p>", "container: a document's own stylesheet")
    like(get(web, "/gpuxml-status/json").text, '"Done"', "... and the status page")

web = server("hosting", 'Define GPUXML_ROOT "@ROOT@/htdocs"\n')
web.override = "FileInfo"
web.put("htdocs/c1/p.xsl", sheet('<xsl:template match="/"><p><xsl:value-of select="count(//b)"/></p></xsl:template>'))
web.put("htdocs/c1/.htaccess", 'GPUXMLStylesheet "%s"\n' % web.path("htdocs/c1/p.xsl"))
web.put("htdocs/c1/a.xml", "<a><b/></a>")
web.put("htdocs/c1/large.xml", "<a>%s</a>" % ("<b/>" * 300000))
web.put("htdocs/c1/dtd.xml", '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>')
with web:
    like(get(web, "/c1/a.xml").text, "<p>1</p>", "hosting: a customer's stylesheet")
    is_((get(web, "/c1/large.xml").status, get(web, "/c1/dtd.xml").status), (502, 502),
        "... within limits, and no DOCTYPE")

hosts = []
for i in range(3):
    hosts.append(Httpd("conf-host%d" % i, "GPUXMLStylesheet conf/xsl/p.xsl\nHeader set X-Host %d\n" % i))
    hosts[i].put("conf/xsl/p.xsl", sheet('<xsl:template match="/"><p><xsl:value-of select="."/></p></xsl:template>'))
    hosts[i].put("htdocs/a.xml", "<a>text</a>")
    hosts[i].put("htdocs/index.html", "up")
    hosts[i].start()
web = server("cluster", "".join('Define GPUXML_HOST%d "http://127.0.0.1:%d"\n' % (i + 1, h.port) for i,
                                h in enumerate(hosts)),
             modules=["slotmem_shm", "watchdog", "proxy_balancer", "lbmethod_byrequests", "proxy_hcheck"])
with web:
    answers = [get(web, "/a.xml") for _ in range(12)]
    is_(({a["x-host"] for a in answers}, {a.text for a in answers}), ({"0", "1", "2"}, {answers[0].text}),
        "cluster: all hosts answer, with the same page")
    lost, gone = [], []

    def ask_on(k):
        """As a browser that also asks again after a 502 on a connection's first request: conf/cluster.conf says why
        only there."""
        c = http.client.HTTPConnection("127.0.0.1", web.port, timeout=20)
        tries = 0
        while not gone or time.time() < gone[0]:
            try:
                first = c.sock is None
                c.request("GET", "/a.xml")
                r = c.getresponse()
                text = r.read().decode()
                if r.status == 502 and first and tries < 2:
                    tries += 1
                    c.close()
                    continue
                tries = 0
                if r.status != 200 or "<p>text</p>" not in text:
                    lost.append((r.status, text[:99]))
            except (http.client.BadStatusLine, ConnectionError) as e:
                c.close()
                tries += 1
                if tries > 2:
                    lost.append(repr(e))
        c.close()

    threads = [threading.Thread(target=ask_on, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    time.sleep(0.3)
    os.killpg(hosts[1].proc.pid, signal.SIGKILL)
    gone.append(time.time() + 1.5)
    for t in threads:
        t.join()
    is_(lost, [], "... and one that is killed under load loses no request")
for h in hosts:
    h.stop()

seen = []


def routed(request):
    seen.append((request.path, request.headers.get("X-Matches"),
                 request.rfile.read(int(request.headers["Content-Length"]))))
    answer(request, b"taken", "text/plain")


back = Backend(lambda request: answer(request, b"", "text/plain"))
back.server.RequestHandlerClass.do_POST = routed
web = server("route", 'Define GPUXML_PROFILES "@ROOT@/conf/p.txt"\nDefine GPUXML_ROUTES "@ROOT@/conf/routes.map"\n'
             'Define GPUXML_ROUTE_DEFAULT "http://127.0.0.1:%d/rest"\n' % back.port)
web.put("conf/p.txt", "cheap\t//item[price < 10]\nnowhere\t//note\n")
web.put("conf/routes.map", "cheap http://127.0.0.1:%d/cheap\n" % back.port)
with web:
    for document, path, matches in ((b"<order><item><price>9</price></item><note/></order>", "/cheap", "cheap,nowhere"),
                                    (b"<order><note/></order>", "/rest", "nowhere"),
                                    (b"<order/>", "/rest", ""), (b"no XML", "/rest", None)):
        c = http.client.HTTPConnection("127.0.0.1", web.port, timeout=30)
        c.request("POST", "/inbox", document, {"Content-Type": "text/xml", "X-Matches": "forged"})
        is_((c.getresponse().read(), seen[-1:]), (b"taken", [(path, matches, document)]),
            "route: %s goes to %s" % (document.decode()[:30], path))
        c.request("POST", "/match", document, {"Content-Type": "text/xml"})
        is_(c.getresponse().status, 200 if matches is not None else 400, "... and /match answers")

is_(sorted(tried), sorted(f[:-5] for f in os.listdir(os.path.join(ROOT, "conf")) if f.endswith(".conf")),
    "every configuration was tried")
done()
