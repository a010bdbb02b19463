#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything at once: stylesheets and documents are written anew, well and badly, httpd restarts gracefully, clients
hang up and look at the status page, while others get pages of all kinds. Each is whole, of the stylesheet that was
asked for and of a state that its files once had; in the end of the last. Under ThreadSanitizer (make test-sanitized)
this tells which of it races."""
import gzip
import os
import random
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

CONF = """
Define GPUXML_ANY_WORKER
GPUXMLEngine %s
GPUXMLCheckFiles 10ms
GPUXMLCache 1M
GPUXMLDocument file
GPUXMLStylesheetRoot @ROOT@/conf/xsl
GPUXMLCatalog @ROOT@/conf/catalog.xml
GPUXMLStylesheet conf/xsl/a.xsl
AddEncoding gzip .gz
Alias /xsl @ROOT@/conf/xsl
Alias /pi @ROOT@/htdocs
Alias /named @ROOT@/htdocs
ProxyPass /proxy/ http://127.0.0.1:%d/
<Location /named>
    GPUXMLStylesheet %%{HTTP:X-Sheet}.xsl
</Location>
<Location /pi>
    GPUXMLStylesheetPI prefer
</Location>
<Location /status>
    SetHandler gpuxml-status
</Location>
"""
NAMES = "abcdef"
good = {name: set() for name in NAMES}      # the numbers of its states that compile
last = {}                                   # of its last state


def write_sheet(web, name, n):
    broken = n % 7 == 3
    last[name] = n
    if not broken:
        good[name].add(n)
    web.put("conf/xsl/%s.xsl" % name, sheet('<xsl:key name="k" match="b" use="."/><xsl:template match="/"><p of="%s %d '
                                            '{a/@n} {count(key(\'k\', \'1\'))}">'
                                            '<xsl:value-of select="document(\'%s\')"/></p></xsl:template>' % (name, n,
                                                "urn:data" if n % 2 else "data"))
            + ("<" if broken else ""))


def document(n, size):
    return b"<?xml-stylesheet type='text/xsl' href='/xsl/c.xsl'?><a n='%d'>%s</a>" % (n, b"<b>1</b>" * size)


def write_documents(web, n):
    for size in (10, 1000):
        web.put("htdocs/%d.xml" % size, document(n, size))
    web.put("htdocs/100.xml.gz", gzip.compress(document(n, 100)))


def writer(web, until):
    n = 0
    while time.time() < until:
        n += 1
        write_sheet(web, random.choice(NAMES), n)
        if n % 10 == 0:
            write_documents(web, n)
        if n % 60 == 0:
            web.graceful()
        time.sleep(0.02)
    return n


def client(web, until, pages, problems):
    while time.time() < until:
        kind = random.choice(("plain", "plain", "named", "named", "named", "pi", "proxy", "hang up", "status"))
        size = random.choice((10, 100, 1000))
        file = "%d.xml%s" % (size, ".gz" if size == 100 and kind != "proxy" else "")
        name = random.choice(NAMES) if kind == "named" else "c" if kind == "pi" else "a"
        try:
            if kind == "hang up":
                with socket.create_connection(("127.0.0.1", web.port)) as s:
                    s.sendall(b"GET /1000.xml HTTP/1.1\r\nHost: x\r\n\r\n")
                continue
            if kind == "status":
                path = "/status" + random.choice(("", "?json", "?auto"))
                a, right = web.get(path), True
            else:
                path = ("/%s/%s" % (kind, file)).replace("/plain", "")
                a = web.get(path, X_Sheet=name)
                of = re.search(r'<p of="(\w) (\d+) (\d+) (\d+)">data</p>\s*$', a.text)
                right = of and (of[1], int(of[4])) == (name, size) and int(of[2]) in good[name]
            if a.status == 200 and a.complete and right:
                pages.append(path)
            else:
                problems.append((path, a.status, a.text[-200:]))
        except OSError as e:
            problems.append((kind, e))


back = Backend(lambda r: answer(r, document(0, int(re.search(r"\d+", r.path).group()))))
for engine in ["cpu"] + ["auto"] * os.path.exists(os.path.join(os.path.dirname(MODULE), "gpuxml-worker")):
    web = Httpd("at-once-" + engine, CONF % (engine, back.port))
    web.put("conf/catalog.xml", '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"><uri name="urn:data" '
                                'uri="xsl/data"/></catalog>')
    web.put("conf/xsl/data", "<d>data</d>")
    write_documents(web, 0)
    for name in NAMES:
        write_sheet(web, name, 0)
    pages, problems, states = [], [], []
    with web:
        for name in NAMES:          # a good state that the children have in common
            web.get("/named/10.xml", X_Sheet=name)
        until = time.time() + 5
        at_once(12, lambda k: client(web, until, pages, problems) if k else states.append(writer(web, until)))
        ok(len(pages) > 50 and not problems, "%s: %d pages, %d states of stylesheets" % (engine, len(pages),
            states[0])) or diag(problems[:5])
        time.sleep(0.2)
        old = [(name, n) for name, n in last.items() if n in good[name]
               and ' of="%s %d ' % (name, n) not in web.get("/named/10.xml", X_Sheet=name).text]
        ok(not old, "... then those of the last states") or diag(old)
        ok("exit signal" not in web.log(), "... and no child died")
done()
