#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples of the tutorial, the how-tos and the explanations do what the pages say: each page is followed as it is
printed.

A page's XML blocks are the files whose names stand in the text before them, its apache blocks the server's
configuration, and its console blocks commands ("$ ...") with what they print ("..." is anything). Places are others:
/srv, share/gpuxml, the server's address. A page of these that has no console block fails."""
import glob
import os
import re
import shutil
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()
BLOCK = re.compile(r"^```(\w*)\n([\s\S]*?)^```$", re.M)
FILE = re.compile(r"`(/srv/[\w./-]+\.\w+)`")
CACHE = ["cache", "cache_disk"]


def parts(text):
    """Files, configuration and commands of a page."""
    files, conf, commands, names, at = [], "", [], [], 0
    for block in BLOCK.finditer(text):
        names += FILE.findall(text[at:block.start()])
        at = block.end()
        kind, body = block.groups()
        if kind == "xml":
            files.append((names.pop(0) if names else None, body))
        elif kind == "apache":
            conf += body
        elif kind == "console":
            for one in re.split(r"^\$ ", body, flags=re.M)[1:]:
                command, _, want = one.partition("\n")
                commands.append((command, want))
    return files, conf, commands


def expected(want):
    return ".*?".join(re.escape(p) for p in want.strip().split("...")) + r"\s*"


def follow(page, files, conf, commands):
    name = "docs-" + os.path.basename(page)[:-3]
    web = Httpd(name, "", modules=CACHE if "CACHE_ROOT" in conf else [])

    def place(text):
        return (text.replace("/srv/", web.path("srv/")).replace('"/srv"',
            '"%s"' % web.path("srv")).replace("/usr/local/share/gpuxml", web.path("share"))
                .replace("http://localhost/", "http://127.0.0.1:%d/" % web.port))
    shutil.copytree(os.path.join(ROOT, "conf"), web.path("share/conf"))
    for path, body in files:
        if ok(path is not None, "%s: an XML block has its file's name before it" % page):
            web.put(path.lstrip("/"), body)
    for folder in ("srv/cache", "srv/www", "srv/xsl"):
        os.makedirs(web.path(folder), exist_ok=True)
    if os.getuid() == 0:
        shutil.chown(web.path("srv/cache"), "www-data")
    web.conf = 'Define GPUXML_SHARE "%s"\n' % web.path("share") + place(conf)
    if "docbook.conf" in conf and not os.path.exists("/usr/share/xml/docbook/stylesheet/docbook-xsl"):
        web.conf = 'Define GPUXML_DOCBOOK_ROOT "%s"\nDefine GPUXML_DOCBOOK_XSL "%s"\n' % (web.path("srv"),
            web.path("srv/article.xsl")) + web.conf
    uses_server = any("http://localhost/" in c for c, _ in commands)
    if uses_server:
        web.start()
    elif conf:
        code, said = web.test()
        ok(code == 0, "%s: its configuration is right" % page) or diag(said)
    try:
        for command, want in commands:
            p = subprocess.run(["/bin/sh", "-c", place(command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               cwd=web.path("srv"), timeout=60,
                               env=dict(os.environ, PATH=os.path.join(ROOT, "build") + ":/usr/bin:/bin",
                                        LC_ALL="C.UTF-8"))
            said = p.stdout.decode("utf-8", "replace")
            ok(p.returncode == 0 and re.fullmatch(r"\s*" + expected(place(want)), said, re.S),
               "%s: %s" % (page, command)) or diag("%s\n%s" % (p.returncode, said))
    finally:
        if uses_server:
            web.stop()


os.chdir(ROOT)
pages = sorted(glob.glob("docs/tutorial/*.md") + glob.glob("docs/howto/*.md") + glob.glob("docs/explanation/*.md"))
ELSEWHERE = {"docs/howto/bulk.md": "t/07-cli-bulk.t", "docs/howto/migrating.md": "t/70-http-pi.t and t/75-readme.t",
             "docs/howto/systemd.md": "t/75-systemd.t"}     # who tests these pages' examples
for page in pages:
    with open(page, encoding="utf-8") as f:
        files, conf, commands = parts(f.read())
    if page in ELSEWHERE:
        continue
    if ok(commands, page + " has an example that is run"):
        follow(page, files, conf, commands)
done()
