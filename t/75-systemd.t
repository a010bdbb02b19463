#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""conf/systemd/gpuxml.conf: systemd knows each of its settings, and a worker starts and answers without new privileges,
as the drop-in has it."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()
DROP_IN = os.path.join(ROOT, "conf", "systemd", "gpuxml.conf")
with open(DROP_IN, encoding="utf-8") as f:
    settings = [line.split("=", 1) for line in f if re.match(r"\w+=", line)]
with open(os.path.join(ROOT, "docs", "howto", "systemd.md"), encoding="utf-8") as f:
    page = f.read()
for name in ("LimitMEMLOCK", "OOMPolicy", "NoNewPrivileges", "PrivateTmp", "ProtectSystem"):
    ok(name in dict(settings) and "`" + name in page, "%s is set, and the page says why" % name)
for name in ("PrivateDevices", "MemoryDenyWriteExecute", "RestrictNamespaces"):
    ok(name not in dict(settings) and "`%s`" % name in page, "%s is not set, and the page says why" % name)

if shutil.which("systemd-analyze"):
    with tempfile.TemporaryDirectory() as units:
        unit = os.path.join(units, "apache2.service")
        with open(unit, "w") as f:
            f.write("[Unit]\nDescription=httpd\n[Service]\nType=forking\nExecStart=/bin/true\n")
        os.mkdir(unit + ".d")
        shutil.copy(DROP_IN, unit + ".d")
        p = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
        ok(p.returncode == 0 and "gpuxml.conf" not in p.stdout, "systemd knows each setting") or diag(p.stdout)
else:
    ok(True, "systemd knows each setting # SKIP systemd-analyze is not there")

if os.path.exists(os.path.join(os.path.dirname(MODULE), "gpuxml-worker")):
    web = Httpd("systemd", "GPUXMLEngine worker\n<Location /a.xml>\n    GPUXMLStylesheet conf/xsl/a.xsl\n</Location>\n"
                "<Location /status>\n    SetHandler gpuxml-status\n</Location>\n")
    web.put("htdocs/a.xml", "<a>b</a>")
    web.put("conf/xsl/a.xsl", sheet('<xsl:template match="/"><p><xsl:value-of select="a"/></p></xsl:template>'))
    usual = web.command
    web.command = lambda *args: ["setpriv", "--no-new-privs"] + usual(*args)
    with web:
        before = status(web)["ByWorker"]
        ok("<p>b</p>" in web.get("/a.xml").text and status(web)["ByWorker"] > before,
           "a worker answers without new privileges") or diag(web.log())
else:
    ok(True, "a worker answers without new privileges # SKIP gpuxml-worker is not built")
done()
