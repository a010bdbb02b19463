#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GPUXMLProfiles: SetHandler gpuxml-match answers which profiles a posted document matches, as text, JSON or XML; its
statuses; profiles put and deleted by authenticated users are on disk, and no request waits for a set that changes; the
filters and GPUXMLMatchRequests set GPUXML_MATCHES."""
import base64
import gzip
import hashlib
import json
import os
import sys
import threading
import time
import xml.etree.ElementTree as ET
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()


def echo(request):
    """What a back end sees: its path, a header, the body's length and digest"""
    body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
    answer(request, ("%s %s %d %s" % (request.path, request.headers.get("X-Matches"), len(body),
                                      hashlib.sha256(body).hexdigest())).encode(), "text/plain")


class Posted(Backend):
    def __init__(self):
        super().__init__(echo)
        self.server.RequestHandlerClass.do_POST = lambda handler: echo(handler)


backend = Posted()
# sections whose profiles users change: their names, files and roots
EDITED = "".join("""<Location /%s>
  SetHandler gpuxml-match
  GPUXMLProfiles @ROOT@/%s
  GPUXMLProfilesRoot @ROOT@/%s
  AuthType Basic
  AuthName profiles
  AuthUserFile @ROOT@/conf/users
  Require valid-user
</Location>
""" % section for section in (("xmllist", "data/list.xml", "data"), ("readonly", "readonly/live.txt", "readonly"),
                              ("directives", "data/directives.txt", "data"), ("link", "data/link.txt", "data")))
CONF = """
TraceEnable off
<Location /status>
  SetHandler gpuxml-status
</Location>
GPUXMLCheckFiles 100ms
<Location /match>
  SetHandler gpuxml-match
  GPUXMLProfiles @ROOT@/conf/p.txt
</Location>
<Location /small>
  SetHandler gpuxml-match
  GPUXMLProfiles @ROOT@/conf/p.txt
  GPUXMLLimit input=2K depth=8
</Location>
<Location /steps>
  SetHandler gpuxml-match
  GPUXMLProfiles @ROOT@/conf/slow.txt
  GPUXMLLimit steps=1000
</Location>
<Location /slow>
  SetHandler gpuxml-match
  GPUXMLProfiles @ROOT@/conf/slow.txt
  GPUXMLLimit steps=max
  GPUXMLTimeout 30ms
</Location>
<Location /unpacked>
  SetHandler gpuxml-match
  SetInputFilter DEFLATE
  GPUXMLProfiles @ROOT@/conf/p.txt
</Location>
<Location /open>
  SetHandler gpuxml-match
  GPUXMLProfiles @ROOT@/data/live.txt
  GPUXMLProfilesRoot @ROOT@/data
</Location>
<Location /live>
  SetHandler gpuxml-match
  GPUXMLProfiles @ROOT@/data/live.txt
  GPUXMLProfilesRoot @ROOT@/data
  GPUXMLNamespace d urn:d
  <LimitExcept POST>
    AuthType Basic
    AuthName profiles
    AuthUserFile @ROOT@/conf/users
    Require valid-user
  </LimitExcept>
</Location>
@EDITED@<Location /feed>
  SetOutputFilter GPUXMLMATCH
  GPUXMLProfiles @ROOT@/conf/p.txt
  GPUXMLLimit input=100K
  Header set X-Matches "%{GPUXML_MATCHES}e" env=GPUXML_MATCHES
  Header set X-Count "%{GPUXML_MATCH_COUNT}e" env=GPUXML_MATCH_COUNT
</Location>
<Location /feed/page.xml>
  GPUXMLStylesheet conf/xsl/page.xsl
</Location>
<Location /route>
  GPUXMLProfiles @ROOT@/conf/p.txt
  GPUXMLLimit input=100K
  GPUXMLMatchRequests on
  RewriteEngine On
  RewriteCond %{ENV:GPUXML_MATCHES} (^|,)cheap(,|$)
  RewriteRule . http://127.0.0.1:@BACK@/cheap [P]
  RewriteRule . http://127.0.0.1:@BACK@/other [P]
  RequestHeader set X-Matches "%{GPUXML_MATCHES}e" env=GPUXML_MATCHES
</Location>
<Location /early>
  GPUXMLProfiles @ROOT@/conf/p.txt
  GPUXMLMatchRequests early
  <If "%{reqenv:GPUXML_MATCHES} =~ /(^|,)cheap(,|$)/">
    SetHandler gpuxml-match
  </If>
  <Else>
    Require all denied
  </Else>
</Location>
<Location /lazy>
  GPUXMLProfiles @ROOT@/conf/p.txt
  SetInputFilter GPUXMLMATCH
  ProxyPass http://127.0.0.1:@BACK@/lazy
  Header set X-Count "%{GPUXML_MATCH_COUNT}e" env=GPUXML_MATCH_COUNT
</Location>
""".replace("@EDITED@", EDITED).replace("@BACK@", str(backend.port))
PROFILES = 'cheap\t//item[price < 10]\nname "q", %\t//name\nsecond\t//item[2]\nnone\t//gone\n'
CHEAP = "<order><item><price>9</price></item></order>"
DEAR = "<order><item/><item><price>12</price><name/></item></order>"
USER = "Basic " + base64.b64encode(b"ann:secret").decode()


def post(path, body, method="POST", user=None, to=None, **headers):
    body = body if isinstance(body, bytes) else body.encode()
    fields = {"Content-Length": str(len(body)), "Content-Type": "text/xml"}
    fields.update({k.replace("_", "-"): v for k, v in headers.items()})
    if user:
        fields["Authorization"] = user
    fields = {k: v for k, v in fields.items() if v is not None}
    text = "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n" % (method, path,
        "".join("%s: %s\r\n" % f for f in fields.items()))
    with socket.create_connection(("127.0.0.1", (to or web).port), timeout=30) as s:
        try:
            s.sendall(text.encode("latin-1") + body)
        except OSError:
            pass
        raw = b""
        try:
            while piece := s.recv(65536):
                raw += piece
        except OSError:
            pass
    return Answer(raw)


def until(what, want, seconds=10):
    """The answer, once it has been the wanted one 4 times: each of httpd's processes exchanges its set by itself"""
    end, good, got = time.time() + seconds, 0, None
    while good < 4 and time.time() < end:
        got = what()
        good = good + 1 if got == want else 0
        time.sleep(0.03)
    return got


web = Httpd("match", CONF, modules=["auth_basic", "authn_core", "authn_file", "authz_user", "authz_host"])
web.put("conf/p.txt", PROFILES)
web.put("conf/slow.txt", "".join("p%d\t//item[contains(., 'x%dy')]\n" % (i, i)
                                 for i in range(20000)) + "bad\t//item[\nq\tnosuch()\n")
web.put("conf/users", "ann:{SHA}" + base64.b64encode(hashlib.sha1(b"secret").digest()).decode() + "\n")
web.put("conf/xsl/page.xsl", sheet("<xsl:template match='/'><p><xsl:value-of "
                                   "select='count(//item)'/></p></xsl:template>"))
web.put("data/list.xml", "<profiles><profile id='one'>//item</profile></profiles>")
web.put("data/directives.txt", "%namespace p urn:p\n%include inner.txt\nouter\t//item\n%namespace p urn:late\n")
web.put("data/inner.txt", "inner\t//item\n")
os.symlink("inner.txt", web.path("data/link.txt"))
web.put("htdocs/feed/cheap.xml", CHEAP)
web.put("htdocs/feed/page.xml", DEAR)
web.put("htdocs/feed/bad.xml", "<a>")
web.put("htdocs/feed/long.xml", "<a>" + "x" * 200000 + "</a>")
web.put("htdocs/feed/plain.txt", "words")
for name, text in (("cheap", CHEAP), ("long", "<a>" + "x" * 200000 + "</a>")):
    web.put("htdocs/feed/%s.cgi.xml" % name, text)
web.cgi("part", "#!/bin/sh\nprintf 'Content-Type: text/xml\\n\\n<order>'; sleep 0.2; printf "
                "'<item><price>1</price></item></order>'\n")
web.put("readonly/live.txt", "x\t//item\n", 0o444)
web.start()
os.chmod(web.path("readonly"), 0o555)
if os.getuid() == 0:
    shutil.chown(web.path("data"), "www-data")

# ---- a document is posted ----

a = post("/match", CHEAP)
is_((a.status, a["content-type"], a.text), (200, "text/plain; charset=utf-8", "cheap\n"), "a document: an id a line")
ok("Accept" in a["vary"] and a["cache-control"] == "no-store", "... of a form that depends on Accept")
a = post("/match", DEAR, Accept="application/json")
is_((a["content-type"], json.loads(a.text)),
    ("application/json", {"matches": 2, "ids": ['name "q", %', "second"]}), "JSON")
a = post("/match", DEAR, Accept="text/*;q=0.1, application/xml")
is_((a["content-type"], [m.get("id") for m in ET.fromstring(a.text)], ET.fromstring(a.text).get("n")),
    ("application/xml; charset=utf-8", ['name "q", %', "second"], "2"), "XML")
for accept, want in (("*/*", "text/plain"), ("application/*", "application/json"),
                     ("application/json;q=0.5, text/xml;q=0.6", "text/xml"),
                     ("text/plain;q=0, */*;q=0.1", "application/json"), ("text/html, */*;q=0.8", "text/plain"),
                     ("application/json, */*", "application/json"), ("text/xml, text/plain", "text/xml"),
                     ("text/*, application/xml", "application/xml"), (" , ", "text/plain")):
    is_(post("/match", CHEAP, Accept=accept)["content-type"].split(";")[0], want, "Accept: " + accept)
is_(post("/match", CHEAP, Accept="image/png").status, 406, "nothing that the client takes")
is_(post("/match", "<none/>").text, "", "nothing matches: an empty text")
is_(json.loads(post("/match", "<none/>", Accept="application/json").text), {"matches": 0, "ids": []}, "... and JSON")
a = post("/match?explain=cheap", DEAR)
ok(a.status == 200 and "does not match" in a.text and "price" in a.text, "explain=: why not") or diag(a.text)
is_((post("/match?explain=name+%22q%22,%20%25", DEAR).text[:7], post("/match?explain=x", CHEAP).status),
    ("matches", 404), "... ids as in a form, and none")
chunked = "".join("%x\r\n%s\r\n" % (len(p), p) for p in (CHEAP[:9], CHEAP[9:])) + "0\r\n\r\n"
is_(post("/match", chunked, Transfer_Encoding="chunked", Content_Length=None).text, "cheap\n", "chunks")
is_(post("/match", CHEAP.encode("utf-16"), Content_Type="application/xml; charset=utf-16").text, "cheap\n",
    "the charset of its type")
is_(post("/unpacked", gzip.compress(CHEAP.encode()), Content_Encoding="gzip").text, "cheap\n",
    "gzip, where DEFLATE reads it")

# ---- statuses ----

for what, a, code in (
        ("not well-formed", post("/match", "<a>"), 400), ("empty", post("/match", ""), 400),
        ("an entity bomb", post("/match", "<!DOCTYPE a [<!ENTITY a '%s'><!ENTITY b '%s'>"
         "<!ENTITY c '%s'>]><a>%s</a>" % ("x" * 1000, "&a;" * 100, "&b;" * 100, "&c;" * 100)), 422),
        ("too long", post("/small", "<a>" + "x" * 4000 + "</a>"), 413),
        ("too deep", post("/small", "<a>" * 9 + "</a>" * 9), 422),
        ("too many steps", post("/steps", "<item>xxxxxxxxx</item>"), 422),
        ("no XML", post("/match", CHEAP, Content_Type="application/json"), 415),
        ("packed", post("/match", gzip.compress(b"<a/>"), Content_Encoding="gzip"), 415)):
    is_((a.status, a["content-type"]), (code, "text/plain; charset=utf-8"),
        "%s: status %d" % (what, code)) or diag(a.text)
like(post("/small", "<a>" + "x" * 4000 + "</a>").text, "GPUXMLLimit input=", "... which names the limit")
like(post("/steps", "<item>xxxxxxxxx</item>").text, "GPUXMLLimit steps=", "... and that of matching")
a = post("/slow", "<item>" + "x" * 1000000 + "</item>")
ok(a.status == 504 and "GPUXMLTimeout" in a.text, "GPUXMLTimeout: status 504") or diag("%d %s" % (a.status, a.text))
allow = lambda a: (a.status, sorted(a["allow"].split(",")))
is_([allow(web.get("/match", m)) for m in ("GET", "DELETE")], [(405, ["OPTIONS", "POST"])] * 2,
    "other methods, and Allow")
is_(allow(web.get("/match", "OPTIONS")), (200, ["OPTIONS", "POST"]), "OPTIONS")
is_(web.get("/match/cheap").status, 404, "no profile is shown without GPUXMLProfilesRoot")
log = web.log()
for line in ("GX0171: GPUXMLProfiles: left out: .*slow.txt:20001:5: .*'bad'",
             "GX0172: .*slow.txt: 2 profiles left out, 20000 loaded"):
    like(log, line, "the log has " + line[:6])

# ---- a changed file ----

web.put("conf/p.txt", PROFILES + "item\t//item\n")
is_(until(lambda: post("/match", CHEAP).text, "cheap\nitem\n"), "cheap\nitem\n", "a changed file is seen")
web.put("conf/p.txt", PROFILES + "again\t//item\n")
time.sleep(1.5 * SLOW)
is_(post("/match", CHEAP).text, "cheap\nagain\n", "... also by the first request after it")
os.unlink(web.path("conf/p.txt"))
ok(until(lambda: (post("/match", CHEAP), "GX0174: " in web.log())[1], True), "a file that is gone is logged")
is_(post("/match", CHEAP).text, "cheap\nagain\n", "... and the last good state serves")
web.put("conf/p.txt", PROFILES)
is_(until(lambda: post("/match", CHEAP).text, "cheap\n"), "cheap\n", "... until it is there again")

# ---- profiles put and deleted ----

put = lambda id, text, **h: post("/live/" + id, text, "PUT", USER, **h)
get = lambda id, **h: post("/live/" + id, "", "GET", USER, Content_Length=None, **h)
is_((post("/live/x", "//item", "PUT").status, post("/open/x", "//item", "PUT").status,
     post("/open/x", "", "GET").status), (401, 403, 403),
    "nobody without a name changes or reads profiles")
ok(not os.path.exists(web.path("data/live.txt")), "... and nothing was written")
a = put("x", "//item\n")
is_(a.status, 201, "PUT of a new profile") or diag(a.text + web.log()[-2000:])
is_(open(web.path("data/live.txt")).read(), "x\t//item\n", "... is on disk")
is_(until(lambda: post("/live", CHEAP).text, "x\n"), "x\n", "... and matches")
is_(put("a%20b/c", "/order/item[price < 10]").status, 201, "an id with a blank and a slash")
is_(put("ns", "//d:e").status, 201, "GPUXMLNamespace's prefixes")
is_(until(lambda: post("/live", "<d:e xmlns:d='urn:d'/>").text, "ns\n"), "ns\n", "... match")
tag = get("x")["etag"]
is_((get("x").text, get("x", If_None_Match=tag).status, web.get("/live/x", "HEAD", Authorization=USER).status,
     get("y").status), ("//item\n", 304, 200, 404), "GET, HEAD")
is_((put("x", "//none", If_Match='"other"').status, put("x", "//none", If_None_Match="*").status,
     put("z", "//none", If_Match="*").status,
     put("x", "//item[2]", If_Match=tag).status), (412, 412, 412, 204), "conditions of a PUT")
ok(get("x")["etag"] != tag, "another text, another ETag")
for id, text, code in (("bad", "//item[", 422), ("bad", "nosuch()", 422), ("bad", "", 422), ("bad", "a\nb", 422),
                       ("bad", "//" + "a" * 70000, 413),
                         ("%23c", "//item", 422), ("%25include%20x", "//item", 422), ("tab%09x", "//item", 422),
                         ("x" * 600, "//item", 422)):
    a = put(id, text)
    is_((a.status, a["content-type"]), (code, "text/plain; charset=utf-8"),
        "PUT %s %.8r: status %d" % (id[:12], text, code)) or diag(a.text)
with open(web.path("data/live.txt"), "a") as f:
    f.write("# a comment\nhand\t//price")
is_(put("last", "//last").status, 201, "a PUT after a change by hand")
is_(open(web.path("data/live.txt")).read(), "x\t//item[2]\na b/c\t/order/item[price < 10]\nns\t//d:e\n# a "
                                            "comment\nhand\t//price\nlast\t//last\n", "... keeps that")
is_(until(lambda: post("/live", CHEAP).text, "a b/c\nhand\n"), "a b/c\nhand\n", "... and both match")
is_((post("/live/x", "", "DELETE", USER).status, post("/live/x", "", "DELETE", USER).status,
     "x\t" in open(web.path("data/live.txt")).read()), (204, 404, False), "DELETE")
is_(allow(web.get("/live/x", "OPTIONS", Authorization=USER)),
    (200, ["DELETE", "GET", "HEAD", "OPTIONS", "PUT"]), "Allow")
is_([put("r", "//item", **h).status for h in ({"Content_Range": "bytes 0-5/6"}, {"Content_Encoding": "gzip"})],
    [400, 415], "a part of an expression, and one that is packed")
a = post("/directives/new", "//p:x", "PUT", USER)
is_(a.status, 201, "PUT: a prefix that the file declares") or diag(a.text)
is_(until(lambda: post("/directives", "<x xmlns='urn:late'/>", user=USER).text, "new\n"), "new\n",
    "... the last one before the new line")
a = post("/directives/outer", "//p:x", "PUT", USER)
is_((a.status, until(lambda: post("/directives", "<x xmlns='urn:p'/>", user=USER).text, "outer\n")), (204, "outer\n"),
    "... or before the line that is replaced")
a = post("/directives/bad", "//q:x", "PUT", USER)
ok(a.status == 422 and a.text.startswith("the prefix is not declared"), "... and one that is not declared") \
    or diag(a.text)
a = post("/directives/inner", "//gone", "PUT", USER)
ok(a.status == 409 and "another file" in a.text, "PUT of an id that an included file has: 409") or diag(a.text)
a = post("/link/two", "//item", "PUT", USER)
ok(a.status == 409 and "link" in a.text and os.path.islink(web.path("data/link.txt")),
   "a file that is a symbolic link is not replaced") or diag(a.text)
a = post("/readonly/two", "//item", "PUT", USER)
ok(a.status == 503 and a["retry-after"] and "cannot be" in a.text,
   "a file that cannot be written: 503") or diag("%d %s" % (a.status, a.text))
is_(post("/readonly/x", "", "GET", USER, Content_Length=None).text, "//item\n", "... and is read all the same")
is_(post("/xmllist/two", "//item", "PUT", USER).status, 409, "a file that is XML is not changed")
ok(not [f for f in os.listdir(web.path("data")) if f.endswith(".new")], "nothing is left beside the file")

# ---- changes under load: no wrong set, no failed request ----

stop, wrong, answered = threading.Event(), [], [0]
SETS = {"x%d\n" % i for i in range(2)}


def ask_on(_):
    while not stop.is_set():
        a = post("/match", CHEAP)
        answered[0] += 1
        if a.status != 200 or a.text not in SETS:
            wrong.append((a.status, a.text))


web.put("conf/p.txt", "x0\t//item\n" + "".join("n%d\t//item[@n%d = 'v']\n" % (i, i) for i in range(3000)))
until(lambda: post("/match", CHEAP).text, "x0\n")
clients = [threading.Thread(target=ask_on, args=(i,)) for i in range(4)]
for c in clients:
    c.start()
for i in range(8):
    web.put("conf/p.txt", "x%d\t//item\n" % (i % 2) + "".join("n%d\t//item[@n%d = 'v']\n" % (k, k)
                                                              for k in range(3000)))
    time.sleep(0.2)
    if i == 4:
        web.graceful()
at_once(6, lambda k: [put("c%d-%d" % (k, i), "//item[@c = '%d']" % i) for i in range(5)])
stop.set()
for c in clients:
    c.join()
ok(not wrong and answered[0] > 50,
   "%d requests while sets change: none failed, none with another set" % answered[0]) or diag(wrong[:5])
is_(sum(line.startswith("c") for line in open(web.path("data/live.txt"))), 30, "30 profiles put at once are all there")
web.put("conf/p.txt", PROFILES)
until(lambda: post("/match", CHEAP).text, "cheap\n")

# ---- processes are killed in the midst of changes ----

said, killing = {}, threading.Event()


def put_on(k):
    for i in range(40):
        id, text = "k%d-%d" % (k, i % 7), "//item[@k = '%d']" % i
        status = put(id, text).status if i % 5 else post("/live/" + id, "", "DELETE", USER).status
        if status in (201, 204):
            said[id] = text if i % 5 else None
        else:                           # killed before it answered, or in between: either state may be there
            said[id] = Ellipsis


def kill_on():
    while not killing.wait(0.2 * SLOW):
        for child in web.children():
            try:
                os.kill(child, 9)
            except OSError:
                pass


killer = threading.Thread(target=kill_on)
killer.start()
at_once(4, put_on)
killing.set()
killer.join()
now = dict(line.rstrip("\n").split("\t") for line in open(web.path("data/live.txt")) if "\t" in line)
ok(not [id for id, text in said.items() if text is not Ellipsis and now.get(id) != text],
   "children are killed in the midst of changes: each that was answered is on disk") \
    or diag([(id, text, now.get(id)) for id, text in said.items() if now.get(id) != text][:5])
ok(sum(text is not Ellipsis for text in said.values()) and {"a b/c", "ns", "last"} <= set(now)
   and put("after", "//item").status == 201, "... the others are there, and changes go on") or diag(said)
post("/live/after", "", "DELETE", USER)

# ---- responses ----

a = web.get("/feed/cheap.xml")
is_((a.text, a["x-matches"], a["x-count"]), (CHEAP, "cheap", "1"),
    "a response goes out as it came, and mod_headers knows what it matches")
is_((web.get("/feed/cheap.xml", "HEAD")["x-matches"], web.get("/feed/cheap.xml", If_None_Match=a["etag"]).status),
    ("cheap", 304), "HEAD, and 304")
a = web.get("/feed/page.xml")
ok("<p>2</p>" in a.text, "a page is made of it") or diag(a.text)
is_(a["x-matches"], "name%20%22q%22%2C%20%25,second", "... and its source is matched")
for path, size in (("bad.xml", 3), ("long.xml", 200007), ("plain.txt", 5)):
    a = web.get("/feed/" + path)
    is_((a.status, len(a.body), a["x-matches"]), (200, size, None), "%s goes out as it is" % path)
like(" ".join(web.new_log("GX0176")), "GX0176: response not matched: .*bad.xml.*GPUXMLLimit input=",
     "... and the log says why not")

# ---- requests ----

sha = lambda body: "%d %s" % (len(body), hashlib.sha256(body.encode()).hexdigest())
is_(post("/route", CHEAP).text, "/cheap cheap " + sha(CHEAP),
    "mod_rewrite chooses a back end by the request's document, which it gets")
is_(post("/route", DEAR).text, "/other name%20%22q%22%2C%20%25,second " + sha(DEAR), "... or another one")
is_(post("/route", chunked, Transfer_Encoding="chunked", Content_Length=None).text.split()[:2], ["/cheap", "cheap"],
    "... of chunks, too")
long = "<a>" + "x" * 300000 + "</a>"
is_(post("/route", long).text, "/other None " + sha(long), "a document over the limit goes on as it is")
is_(post("/route", "<a>").text, "/other None " + sha("<a>"), "... and what is not well-formed")
is_(post("/route", "words", Content_Type="text/plain").text, "/other None " + sha("words"), "... and what is no XML")
is_((post("/early", CHEAP).text, post("/early", DEAR).status), ("cheap\n", 403),
    "early: <If> chooses, and the handler has the document again")
a = post("/lazy", CHEAP)
is_((a.text, a["x-count"]), ("/lazy None " + sha(CHEAP), "1"), "SetInputFilter GPUXMLMATCH")

# ---- a restart without the file ----

def restart():
    before = set(web.children())
    web.graceful()
    until(lambda: not before & set(web.children()), True, 20)


restart()
os.unlink(web.path("conf/p.txt"))
restart()
is_(until(lambda: post("/match", CHEAP).text, "cheap\n"), "cheap\n",
    "a restart goes on with the last restart's state of a file that is gone")
web.put("conf/p.txt", "after\t//item\n")
is_(until(lambda: post("/match", CHEAP).text, "after\n"), "after\n", "... until it is there")

# ---- status ----

s = status(web)
ok(s["Profiles"] >= 20000 and s["ProfilesLeftOut"] == 3 and s["MatchDocuments"] > 50 and s["MatchErrors"] > 5
   and s["MatchUs"] > 0 and s["ProfileReloads"] > 5,
   "gpuxml-status counts profiles, matches and time") or diag(s)
like(web.get("/status?metrics").text, r"gpuxml_match_documents_total \d+.*gpuxml_match_seconds_total",
     "... and so do the metrics")
web.stop()

# ---- the start ----

bad = Httpd("match-start", "<Location /match>\nSetHandler gpuxml-match\nGPUXMLProfiles conf/gone.txt\n</Location>\n")
code, said = bad.test()
ok(code != 0 and "GPUXMLProfiles" in said and "gone.txt" in said,
   "httpd -t tells of a file that cannot be read") or diag(said)
bad.put("conf/gone.txt", "x\t//item[\n")
code, said = bad.test()
ok(code == 0 and "GX0171" in said, "... and of bad profiles, which keep nothing from starting") or diag(said)

# ---- a restart reads profiles anew, though nobody looks at the files ----

calm = Httpd("match-calm", "GPUXMLCheckFiles off\n<Location /match>\nSetHandler gpuxml-match\nGPUXMLProfiles "
                           "conf/p.txt\n</Location>\n")
calm.put("conf/p.txt", "before\t//item\n")
calm.start()
ask_calm = lambda: post("/match", "<a><item/></a>", to=calm).text
is_(ask_calm(), "before\n", "a child answers: the configuration was read twice")
calm.put("conf/p.txt", "after\t//item\n%include more.txt\n")
calm.put("conf/more.txt", "more\t//item\n")
is_(ask_calm(), "before\n", "GPUXMLCheckFiles off: a changed file is not seen")
for child in calm.children():
    os.kill(child, 9)
ask_calm()              # once there is one
time.sleep(0.5 * SLOW)
is_(ask_calm(), "before\n", "... nor by a child that starts later")
for profiles, what in (("after\nmore\n", "... a restart reads it"), ("after\nthird\n", "... and what it includes")):
    children = set(calm.children())
    calm.graceful()
    until(lambda: not children & set(calm.children()), True, 20)
    is_(ask_calm(), profiles, what)
    calm.put("conf/more.txt", "third\t//item\n")
calm.stop()
done()
