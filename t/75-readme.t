#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The README's blocks do what they say, as they are printed: each is cut out of README.md here, and one that no test
below claims fails.

Programs that would change this machine (apt, sudo, systemctl, a2enmod of the package apache2) are stand-ins, which do
what the real ones do beneath a private root with Debian's layout; make install writes there. Of the configuration only
places are others: /srv, and port 9000."""
import os
import re
import shutil
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

README = open(os.path.join(ROOT, "README.md")).read()
blocks = {}     # first line -> text; indented four, or fenced
for fenced, indented in re.findall(r"^```\w*\n([\s\S]*?)^```$|(?<=\n\n)((?:    \S.*\n)+)", README, re.M):
    text = fenced or re.sub(r"^    ", "", indented, flags=re.M)
    blocks[text.split("\n")[0].split("#")[0].strip() or text.split("\n")[0]] = text
claimed = set()


def block(first):
    """The block whose first line begins so."""
    found = [k for k in blocks if k.startswith(first)]
    claimed.update(found)
    ok(len(found) == 1, "README.md has one block that begins with: " + first) or diag("\n".join(blocks))
    return blocks[found[0]] if found else ""


root = os.path.join(SERVERS, "readme-root")
shutil.rmtree(root, ignore_errors=True)
CC = open(os.path.join(ROOT, "build", "flags")).read().split(" -")[0].strip() if os.path.exists(os.path.join(ROOT,
    "build", "flags")) else "gcc"
STAND_INS = {
    "sudo": 'exec "$@"',
    "systemctl": "echo systemctl $* >>$R/did",
    "apt": 'echo apt $* >>$R/did; case "$*" in *apache2*) mkdir -p $R/etc/apache2/mods-available '
           '$R/etc/apache2/mods-enabled; cp $R/a2enmod $R/bin/;; esac',
    # what is built is taken as it is: make test has just made it
    "make": 'case "$1" in install) exec /usr/bin/make -C %s -o all install DESTDIR=$R;; deps) exec %s/tools/deps;; "") '
            'exec /usr/bin/make -C %s -n all >/dev/null;;'
            ' *) exec /usr/bin/make -C %s -n "$@" >/dev/null;; esac' % ((ROOT,) * 4),
}
A2ENMOD = '[ -e $R/etc/apache2/mods-available/$1.load ] || { echo "ERROR: Module $1 does not exist!" >&2; exit 1; }\n' \
          "ln -sf ../mods-available/$1.load $R/etc/apache2/mods-enabled/"


def run(script, folder=None):
    env = dict(os.environ, R=root, PATH=root + "/bin:" + os.path.join(ROOT, "build")
               + ":/usr/sbin:/usr/bin:/sbin:/bin", CC=CC)
    env.pop("MAKEFLAGS", None)
    env.pop("MAKELEVEL", None)
    p = subprocess.run(["/bin/sh", "-e"], input=script.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       cwd=folder or root, env=env, timeout=120)
    return p.returncode, p.stdout.decode("utf-8", "replace")


def fresh():
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root + "/bin")
    for name, text in list(STAND_INS.items()) + [("../a2enmod", A2ENMOD)]:
        with open(os.path.join(root, "bin", name), "w") as f:
            f.write("#!/bin/sh\n" + text + "\n")
        os.chmod(os.path.join(root, "bin", name), 0o755)


# ---- install ----

install = block("sudo apt install apache2")
lines = install.splitlines()
orders = {"as printed": lines, "apache2 behind make install": lines[1:4] + lines[:1] + lines[4:]}
for order, text in orders.items():
    fresh()
    code, said = run("\n".join(text))
    is_(code, 0, "the install lines, %s, run" % order) or diag(said)
    loaded = os.path.join(root, "etc/apache2/mods-enabled/gpuxml.load")
    ok(os.path.exists(loaded), "... and end with an enabled module")
    like(said, r"make install: skipped: .*\nmake install: all of it is beneath ",
         "... make install says what it skipped, and what is next")
line = open(loaded).read() if os.path.exists(loaded) else ""
like(line, r"^LoadModule gpuxml_module /\S+/mod_gpuxml.so\n$", "gpuxml.load loads it")
module = line.split()[-1] if line else ""
ok(os.path.exists(root + module), "... from where make install put it")
said = subprocess.run([os.path.join(ROOT, "tools/installed"), "/m", "", "gpu"], stdout=subprocess.PIPE,
                      env={"PATH": "/usr/bin:/bin"}).stdout.decode()
like(said, r'skipped: gpuxml.load.*now: write "LoadModule gpuxml_module /m/mod_gpuxml.so" into httpd.conf',
     "on another layout it says what to write")
like(run(block("make deb"))[1], "^$", "make deb has its rule, and apt gets what it makes")
is_(open(os.path.join(ROOT, "debian/libapache2-mod-gpuxml.apache2")).read().split()[:2], ["mod", "debian/gpuxml.load"],
    "... a package that enables the module")
is_(run(block("make demo"))[0], 0, "make demo has its rule (t/75-demo.t runs it)")
is_(run(block("make test"))[0], 0, "so have the tests and benchmarks")

# ---- the command line ----

folder = os.path.join(root, "cli")
os.makedirs(folder)
for name, text in (("style.xsl",
    sheet('<xsl:param name="lang"/><xsl:template match="/"><o><xsl:value-of select="$lang"/><xsl:value-of '
          'select="count(//item)"/></o></xsl:template>')),
                   ("doc.xml", "<a><item/><item/></a>")):
    with open(os.path.join(folder, name), "w") as f:
        f.write(text)
code, said = run(block("gpuxslt style.xsl"), folder)
is_(code, 0, "the lines for the command line run") or diag(said)
like(said, r"<o>2</o>.*<o>en2</o>.*\n2\n.*match", "... and give what they say")

# ---- the configuration ----

conf = block("# Everything XML below /catalog/")
asked = []


def backend(r):
    asked.append(r.path)
    if "feed" in r.path:
        return answer(r,
                      b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>1</title></entry><entry><title>2</'
                      b'title></entry></feed>', "application/atom+xml")
    answer(r, b"<a>" if "bad" in r.path else b"<a>order</a>")


web = Httpd("readme", conf.replace("/srv/", "@ROOT@/srv/").replace("GPUXMLStylesheetRoot /srv",
    "GPUXMLStylesheetRoot @ROOT@/srv")
            .replace(":9000/", ":%d/" % Backend(backend).port))
PAGE = ('<xsl:param name="lang"/><xsl:output method="html"/><xsl:template match="/"><p>%s <xsl:value-of '
        'select="concat($lang, name(*))"/></p></xsl:template>')
for name in ("catalog", "rss", "order"):
    web.put("conf/xsl/%s.xsl" % name, sheet(PAGE % name))
web.put("conf/xsl/atom2rss.xsl", sheet('<xsl:template match="/"><rss/></xsl:template>'))
web.put("srv/xsl/feed.xsl", sheet(PAGE % "feed"))
web.put("htdocs/catalog/a.xml", "<a/>")
FEED = '<?xml-stylesheet type="text/xsl" href="/xsl/feed.xsl"?><rss/>'
web.put("htdocs/feeds/a.rss", FEED)
web.put("htdocs/mixed/a.rss", "<rss/>")
web.put("htdocs/mixed/a.xml", '<feed xmlns="http://www.w3.org/2005/Atom"/>')
web.put("htdocs/mixed/b.xml", "<b/>")
web.put("htdocs/errors/order.html", "no order")
READERS = {
    "SimplePie": "application/atom+xml, application/rss+xml, application/rdf+xml;q=0.9, application/xml;q=0.8, "
                 "text/xml;q=0.8, text/html;q=0.7, unknown/unknown;q=0.1, "
                 "application/unknown;q=0.1, */*;q=0.1",
    "Miniflux": "application/xml, application/atom+xml, application/rss+xml, application/rdf+xml, "
                "application/feed+json, text/html, */*;q=0.9",
    "curl": "*/*",
    "feedparser": "application/atom+xml,application/rdf+xml,application/rss+xml,application/x-netcdf,application/xml;"
                  "q=0.9,text/xml;q=0.2,*/*;q=0.1",
}
BROWSERS = {
    "Chrome": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,"
              "application/signed-exchange;v=b3;q=0.7",
    "Firefox": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
}
with web:
    is_(web.get("/catalog/a.xml").text, "<p>catalog a</p>\n", "a stylesheet for all below an address")
    for name, accept in READERS.items():
        is_(web.get("/feeds/a.rss", Accept=accept).text, FEED, name + " gets the feed")
    for name, accept in BROWSERS.items():
        a = web.get("/feeds/a.rss", Accept=accept)
        is_((a.status, a.text, a["vary"]), (200, "<p>feed rss</p>\n", "Accept"),
            name + " gets the page") or diag("".join(web.new_log("GX")))
    is_(web.get("/xsl/feed.xsl").status, 200, "who transforms himself may have the stylesheet")
    is_([web.get("/mixed/" + n).text for n in ("a.rss", "a.xml", "b.xml")],
        ["<p>rss rss</p>\n", "<p>rss rss</p>\n", "<b/>"], "by document element, one made into the other")
    a = web.get("/orders/1", Accept_Language="de")
    is_((a.text, a["vary"]), ("<p>order dea</p>\n", "Accept-Language"), "a back end, with a parameter")
    is_((web.get("/orders/bad").status, web.get("/orders/bad").text), (502, "no order"), "... and its error page")
    a = web.get("/api/titles")
    like(a.text, r'^<\?xml [^>]*\?>\s*<titles>\s*<title [^>]*>1</title>\s*<title [^>]*>2</title>\s*</titles>\s*$',
         "a selection, well-formed")
is_(sorted(set(blocks) - claimed), [], "every block of README.md was run")
shutil.rmtree(root, ignore_errors=True)
done()
