#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stylesheet with an error, a root or a catalog that is gone: httpd can be stopped and restarted all the same, the
last good version survives, and GPUXMLOnError start= says whether httpd may start without it."""
import os
import subprocess
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

BROKEN = '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">\n<a>\n</b></xsl:stylesheet>'
SERVE = "GPUXMLOnError start=serve\n"
REFUSED = r"GX0001: Syntax error on line \d+ of \S+httpd.conf: GPUXMLStylesheet: \S+a.xsl:3:\d+: mismatched tag"


def page(word):
    return sheet('<xsl:output method="html"/><xsl:template match="/"><i>%s</i></xsl:template>' % word)


def server(name, conf="", mpm="event"):
    web = Httpd(name, "GPUXMLEngine cpu\nGPUXMLCheckFiles 200ms\n" + conf, mpm)
    web.put("conf/xsl/a.xsl", page("A1"))
    web.put("conf/xsl/b.xsl", page("B1"))
    for doc in "abc":
        web.put("htdocs/%s.xml" % doc, "<a/>")
    return web


SHEET = ("<Location /a.xml>\n%sGPUXMLStylesheet conf/xsl/a.xsl\n</Location>\n<Location /b.xml>\nGPUXMLStylesheet "
         "conf/xsl/b.xsl\n</Location>\n")


def command(web, *args):
    """httpd's exit status and what it says"""
    p = subprocess.run(web.command(*args), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return p.returncode, p.stdout.decode("utf-8", "replace")


def start(web):
    """The error that httpd ends with; None: it serves. It listens before it has looked at all of the configuration."""
    try:
        web.start()
        web.get("/c.xml")
    except (RuntimeError, OSError) as e:
        ended(web)
        return str(e) + open(web.path("logs/stderr")).read() + web.log()


def restarted(web, how="graceful"):
    """As apachectl does it: the configuration's test, then the signal; waits for the new generation."""
    before = web.log().count("resuming normal operations")
    tested = command(web, "-t")
    sent = command(web, "-k", how) if tested[0] == 0 else (None, "")
    for _ in range(300):
        if web.log().count("resuming normal operations") > before or web.proc.poll() is not None:
            break
        time.sleep(0.05)
    else:
        diag("no new generation")
    return tested, sent


def ended(web):
    for k in range(300 * SLOW):
        if web.proc.poll() is not None:
            return True
        if PRELOAD and k % 100 == 99:       # ThreadSanitizer holds signals back until a call that it sees
            web.proc.send_signal(signal.SIGTERM)
        time.sleep(0.05)


def get(web, path="/a.xml"):
    a = web.get(path)
    return a.status, (a.text.split("<i>") + [""])[1][:2]


def soon(web, want, path="/a.xml"):
    end = time.time() + 10
    while get(web, path) != want and time.time() < end:
        time.sleep(0.05)
    return get(web, path)


# ---- the first start ----

for conf, where in ((SHEET % "", "by default"), (SHEET % "GPUXMLOnError start=refuse\n", "start=refuse"),
                    (SERVE + SHEET % "GPUXMLOnError start=refuse\n",
                    "start=refuse of the section")):
    web = server("start-refuse", conf)
    web.put("conf/xsl/a.xsl", BROKEN)
    said = start(web)
    ok(said is not None, "a broken stylesheet: httpd does not start (%s)" % where)
    like(said, REFUSED, "... and says why")
    like(web.log(), REFUSED, "... in the error log, too")
    web.stop()
    code, said = web.test()
    ok(code != 0 and re.search(REFUSED, said), "... as httpd -t does")
    code, said = command(web, "-S")
    is_(code, 0, "... but not httpd -S")

for conf, where in ((SERVE + SHEET % "", "start=serve"), (SHEET % SERVE, "start=serve of the section")):
    web = server("start-serve", conf)
    web.put("conf/xsl/a.xsl", BROKEN)
    code, said = web.test()
    is_(code, 0, "%s: httpd -t" % where)
    like(said, r"GX0019: httpd starts without it: line \d+ of \S+httpd.conf: GPUXMLStylesheet: \S+a.xsl:3:\d+: "
               r"mismatched tag", "... warns")
    is_(start(web), None, "... httpd starts")
    like(web.log(), r"gpuxml:error.*GX0019: stylesheet does not compile, and there is no last good state.*line \d+ of "
                    r"\S+httpd.conf: GPUXMLStylesheet: \S+a.xsl:3", "... says what is missing")
    is_([get(web), get(web, "/b.xml"), get(web, "/c.xml")], [(500, ""), (200, "B1"), (200, "")],
        "... 500 for its page, and no other")
    like(web.log(), r"GX0110: .*a.xsl:3:\d+: .*class sheet", "... which says why")
    restarted(web)
    is_([get(web), get(web, "/b.xml")], [(500, ""), (200, "B1")], "... likewise after a graceful restart")
    web.error_at = len(web.log())
    web.put("conf/xsl/a.xsl", page("A2"))
    is_(soon(web, (200, "A2")), (200, "A2"), "... the page comes when it is mended, without a restart")
    is_(len(web.new_log("GX0003.*a.xsl: new version in use", 1)), 1, "... and one line says so")
    web.put("conf/xsl/a.xsl", BROKEN)
    time.sleep(0.5)
    restarted(web)
    is_([get(web) for _ in range(5)], [(200, "A2")] * 5, "... a version that only children have seen survives, too")
    web.stop()

web = server("start-off", SERVE + "GPUXMLCheckFiles off\n" + SHEET % "")
web.put("conf/xsl/a.xsl", BROKEN)
is_(start(web), None, "GPUXMLCheckFiles off")
web.put("conf/xsl/a.xsl", page("A2"))
time.sleep(1.2)
is_(get(web)[0], 500, "... what is mended shows after a restart")
restarted(web)
is_(get(web), (200, "A2"), "... then it does")
web.stop()

# ---- while it serves ----

for mpm in "event", "prefork":
    web = server("start-" + mpm, SHEET % "", mpm)
    web.start()
    is_(get(web), (200, "A1"), mpm + ": a start")
    web.put("conf/xsl/a.xsl", BROKEN)
    for how in "graceful", "restart", "graceful":
        web.error_at = len(web.log())
        (code, said), sent = restarted(web, how)
        is_(code, 0, "%s: %s with a broken stylesheet: httpd -t succeeds while httpd is running" % (mpm, how))
        like(said, REFUSED + r".*GX0020: httpd is running \(process %d\).*Syntax OK" % web.proc.pid,
             "... but tells the error")
        is_(sent[0], 0, "... the signal is sent")
        like("".join(web.new_log("GX0004", 2)), r"GX0004: .*going on with its last good state: \S+a.xsl:3:\d+: ",
             "... the log says what is used")
        is_([get(web) for _ in range(5)], [(200, "A1")] * 5, "... which is the last good version")
    code, said = command(web, "-t", "-DGPUXML_TEST")
    ok(code != 0 and re.search(REFUSED, said), mpm + ": httpd -t -D GPUXML_TEST: an error all the same")
    os.unlink(web.path("conf/xsl/a.xsl"))
    restarted(web)
    is_(get(web), (200, "A1"), mpm + ": a stylesheet that is gone: likewise")
    web.put("conf/xsl/a.xsl", page("A2"))
    (code, said), _ = restarted(web)
    is_((code, said), (0, "Syntax OK\n"), mpm + ": mended: httpd -t says nothing")
    is_([get(web) for _ in range(5)], [(200, "A2")] * 5, "... the new version is used")

    # one that was never good
    web.put("conf/xsl/c.xsl", BROKEN)
    web.write_conf(web.conf + "<Location /c.xml>\nGPUXMLStylesheet conf/xsl/c.xsl\n</Location>\n")
    web.error_at = len(web.log())
    restarted(web)
    like("".join(web.new_log("GX0019", 2)), r"no last good state.*c.xsl:3",
         mpm + ": a new stylesheet that is broken: the log says so")
    is_([get(web), get(web, "/c.xml")], [(200, "A2"), (500, "")], "... 500 for its page, all others as before")

    # what is wrong with the configuration itself is refused, but does not keep httpd from stopping
    web.write_conf(web.conf + "<Location /d.xml>\nGPUXMLSelect //[\n</Location>\n")
    code, said = command(web, "-t")
    ok(code != 0 and "GPUXMLSelect" in said, mpm + ": an expression of the configuration: httpd -t refuses it while "
                                                   "httpd is running")
    command(web, "-k", "graceful")
    time.sleep(1)
    is_((get(web), get(web, "/d.xml")[0]), ((200, "A2"), 404), "... who restarts all the same keeps the site")
    code, said = command(web, "-k", "stop")
    is_((code, ended(web)), (0, True), mpm + ": stop while stylesheets are broken")
    web.stop()
    ok("exit signal" not in web.log(), mpm + ": no child died")

# ---- roots and catalogs ----

web = server("start-root", "GPUXMLStylesheetRoot conf/more\nGPUXMLCatalog conf/catalog.xml\n" + SHEET % "")
os.mkdir(web.path("conf/more"))
CATALOG = '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"/>'
web.put("conf/catalog.xml", CATALOG)
with web:
    os.rmdir(web.path("conf/more"))
    web.put("conf/catalog.xml", "<catalog>")
    web.error_at = len(web.log())
    (code, said), (sent, _) = restarted(web)
    is_((code, sent), (0, 0), "graceful without a root, with a broken catalog")
    like(said, r"GX0001: .*conf/more\" is no directory.*GX0001: .*GPUXMLCatalog: .*catalog.xml:1:.*GX0020",
         "... httpd -t tells of both")
    at = web.error_at
    web.new_log("GX0014", 2)                    # the last of them
    like(web.log()[at:], "(?s)GX0012.*GX0014", "... and so does the log")
    is_(get(web), (200, "A1"), "... the page is there")
    is_(command(web, "-k", "stop")[0], 0, "... stop")
    ok(ended(web), "... and it ends")
ok(start(web) is not None and re.search("conf/more\" is no directory", web.log()), "... and does not start again")
web.stop()
web.conf = SERVE + web.conf
is_(start(web), None, "... but with start=serve")
is_(get(web), (200, "A1"), "... and has its page")
web.stop()

# ---- many virtual hosts ----

MANY = ("<Macro Host $n $start>\n<VirtualHost *>\nServerName h$n\nGPUXMLOnError start=$start\nGPUXMLStylesheet "
        "conf/xsl/a.xsl\nGPUXMLParam lagn x\n</VirtualHost>\n</Macro>\n")
MANY += "".join("Use Host %d serve\n" % n for n in range(300))
for last, code in (("serve", 0), ("refuse", 1)):
    web = Httpd("start-many", "GPUXMLEngine cpu\n" + MANY + "Use Host last %s\n" % last, modules=["macro"])
    web.put("conf/xsl/a.xsl", BROKEN)
    start_s = time.time()
    got, said = web.test()
    is_((got != 0, said.count("GX0019"), said.count("GX0001")), (code != 0, 1, code),
        "301 hosts name one broken stylesheet, the last one %ss" % last) or diag(said[:2000])
    ok(time.time() - start_s < 5 * SLOW, "... which takes no time")
web.put("conf/xsl/a.xsl", page("A1"))
got, said = web.test()
is_((got, said.count("GX0021")), (0, 1), "... or give it a parameter that it does not declare")

# ---- a process number that is another program's now ----

web = server("start-pid", SHEET % "")
web.put("conf/xsl/a.xsl", BROKEN)
web.put("run/httpd.pid", "%d\n" % os.getpid())
ok(web.test()[0] != 0, "PidFile names another program: httpd -t fails")
web.put("run/httpd.pid", "99999999\n")
ok(web.test()[0] != 0, "... or none")

# ---- the directive ----

for text, want in (("GPUXMLOnError start=maybe", "start is refuse or serve"),
                   ("GPUXMLOnError stop=serve", "start= with refuse or serve")):
    web.conf = text + "\n"
    code, said = web.test()
    ok(code != 0 and want in said, "refused: " + text) or diag(said)
web = Httpd("start-htaccess", SHEET % "", override="FileInfo")
web.put("conf/xsl/a.xsl", page("A1"))
web.put("conf/xsl/b.xsl", page("B1"))
web.put("htdocs/a.xml", "<a/>")
web.put("htdocs/.htaccess", "GPUXMLOnError start=serve\n")
with web:
    is_(web.get("/a.xml").status, 500, "not in .htaccess")
    like("".join(web.new_log("GPUXMLOnError", 1)), "start= is for the server's configuration", "... says so")
done()
