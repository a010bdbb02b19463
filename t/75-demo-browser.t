#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The demo in a browser (Debian's chromium, driven by chromedriver): each page, light and dark, on a desk and on a
phone, has its text, nothing on the console, no request that fails, nothing wider than the window, letters that can be
read; the editor and the live page do what they say. Screenshots are kept in build/screenshots."""
import base64
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()
# Debian's packages, for another python3 that comes first in PATH
sys.path.append("/usr/lib/python3/dist-packages")
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError as e:
    print("1..0 # SKIP %s: make deps-all installs python3-selenium" % e)
    sys.exit(0)
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not CHROMIUM or not DRIVER:
    print("1..0 # SKIP no chromium or chromedriver: make deps-all installs them")
    sys.exit(0)

# ---- a demo of a copy, so that one that somebody looks at is left alone ----

folder = tempfile.mkdtemp(prefix="gpuxml-browser-")
os.makedirs(folder + "/build")
for name in ("tools", "htdocs", "docs", "conf"):
    shutil.copytree(os.path.join(ROOT, name), os.path.join(folder, name))
for path in glob.glob(ROOT + "/*.md"):
    shutil.copy(path, folder)
for name in ("mod_gpuxml.so", "gpuxslt"):
    shutil.copy(os.path.join(ROOT, "build", name), folder + "/build")
demo = subprocess.Popen([folder + "/tools/demo", "--port", str(free_port())], stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True, start_new_session=True)
said, base = [], None
for line in demo.stdout:
    said.append(line)
    if line.startswith("Open"):
        base = line.split()[1].rstrip("/")
        break
ok(base is not None, "the demo starts") or diag("".join(said)) or done()
shots = os.path.join(ROOT, "build", "screenshots")
shutil.rmtree(shots, ignore_errors=True)
os.makedirs(shots)

options = webdriver.ChromeOptions()
options.binary_location = CHROMIUM
for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--lang=en",
                 "--user-data-dir=" + folder + "/profile"):
    options.add_argument(argument)
options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
try:
    browser = webdriver.Chrome(service=Service(DRIVER), options=options)
except Exception as e:
    os.killpg(demo.pid, signal.SIGTERM)
    ok(True, "chromium starts # SKIP it does not: %s" % str(e).splitlines()[0])
    done()
browser.set_page_load_timeout(60)
browser.set_script_timeout(60)

SIZES = {"desk": (1280, 900, 1), "phone": (390, 844, 2)}
PAGES = {
    "index": ("/", "XML in, pages out"),
    "try": ("/try.xml", "Try a stylesheet"),
    "live": ("/live.xml", "This server, now"),
    "catalogue": ("/static/catalogue.xml", None),
    "news": ("/cgi/news.xml", None),
    "sales": ("/proxy/sales.xml", "Sales"),
    "docs": ("/docs/docs-readme.xml", None),
    "directives": ("/docs/docs-reference-directives.xml", None),
    "status": ("/status", "gpuxml"),
}

# What a visitor would mind, found in the page: wider than the window, small or cut letters, little contrast
LOOK = r"""
const W = arguments[0], bad = [], seen = e => { const r = e.getBoundingClientRect(), s = getComputedStyle(e); return r.width > 1 && r.height > 1 && s.visibility != "hidden" && r.left > -50; };
const wide = document.documentElement.scrollWidth;
if (wide > W || innerWidth > W) {
  const e = [...document.querySelectorAll("body *")].find(e => e.getBoundingClientRect().right > W + 1 && !e.closest(".scroll, .wide, pre, .code"));
  bad.push("the page is " + wide + " px wide in a window of " + W + ": " + (e ? e.outerHTML.slice(0, 120) : ""));
}
for (const t of document.querySelectorAll("svg text")) {
  const size = parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a, r = t.getBoundingClientRect(), f = t.ownerSVGElement.getBoundingClientRect();
  if (size < 9.5) bad.push("a label of " + size.toFixed(1) + " px: " + t.textContent);
  if (r.left < f.left - 1 || r.right > f.right + 1 || r.top < f.top - 1 || r.bottom > f.bottom + 1) bad.push("a label is cut: " + t.textContent);
}
for (const e of document.querySelectorAll("h1, h2, h3, figcaption, caption, .tile b, .tile span, .button")) {
  const r = e.getBoundingClientRect();
  if (seen(e) && (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display != "inline" || r.right > W + 1)) bad.push("cut: " + e.textContent.slice(0, 60));
}
const rgb = c => (c.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
const bright = c => rgb(c).slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
const under = e => { for (; e; e = e.parentElement) { const s = getComputedStyle(e), c = rgb(s.backgroundColor); if (s.backgroundImage != "none") return null; if (c.length < 4 || c[3] == 1) return s.backgroundColor; } return "rgb(255,255,255)"; };
for (const e of document.querySelectorAll("body *")) {
  if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()) || !seen(e) || e.closest("svg, textarea, script, style, [hidden], .skip, :disabled")) continue;
  const s = getComputedStyle(e), ground = under(e);
  if (!ground) continue;
  const a = bright(s.color), b = bright(ground), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < (parseFloat(s.fontSize) >= 24 ? 3 : 4.5)) bad.push("contrast of " + ratio.toFixed(1) + ": " + e.tagName + " " + e.textContent.trim().slice(0, 40));
  if (parseFloat(s.fontSize) < 11) bad.push("letters of " + s.fontSize + ": " + e.textContent.trim().slice(0, 40));
}
return [...new Set(bad)];
"""


def js(script, *args):
    return browser.execute_script(script, *args)


def window(size, scheme):
    w, h, ratio = SIZES[size]
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": w, "height": h, "deviceScaleFactor": ratio, "mobile": size == "phone"})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})


def shot(name):
    height = min(js("return document.documentElement.scrollHeight"), 4000)
    width = js("return innerWidth")
    png = browser.execute_cdp_cmd("Page.captureScreenshot",
        {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}})
    with open("%s/%s.png" % (shots, name), "wb") as f:
        f.write(base64.b64decode(png["data"]))


def console():
    return [e["message"] for e in browser.get_log("browser") if e["level"] in ("WARNING", "SEVERE")]


def until(what, claim, seconds=20):
    """What a script returns, when that is true."""
    end, value = time.time() + seconds, None
    while time.time() < end:
        value = js("return " + what)
        if value:
            break
        time.sleep(0.1)
    return ok(value, claim)


# ---- every page ----

try:
    for _ in range(40):                     # so that the figures are of something
        ask(int(base.rsplit(":", 1)[1]), "/static/sales.xml", headers={"Accept": "text/html"})
    for name, (path, words) in PAGES.items():
        for size, scheme in (("desk", "light"), ("desk", "dark"), ("phone", "light"), ("phone", "dark")):
            window(size, scheme)
            browser.get(base + path)
            if name == "try":
                until('document.body.dataset.ran', "the editor runs its first example")
            what = "%s, %s, %s" % (name, size, scheme)
            is_(js(LOOK, SIZES[size][0]), [], what + ": nothing wide, small, cut or pale")
            is_(console(), [], what + ": nothing on the console")
            dark = js("return getComputedStyle(document.body).backgroundColor")
            ok((sum(map(int, re.findall(r"\d+", dark)[:3])) < 384) == (scheme == "dark"),
               what + ": its colours") or diag(dark)
            shot("%s-%s-%s" % (name, size, scheme))
        title, text = browser.title, js("return document.querySelector('h1').textContent")
        ok(title and text and (words or "") in text, "%s has a title and its heading" % name) or diag((title, text))
        ok(js("return !!document.querySelector('link[rel=icon]')"), "... and an icon")
    browser.get(base + "/")
    links = js("return [...document.querySelectorAll('a[href]')].map(a => a.href).filter(h => "
               "h.startsWith(location.origin))")
    bad = js("""const done = arguments[0];
                return Promise.all(done.map(h => fetch(h).then(a => a.ok ? null : h + ' ' + a.status)))
                    .then(l => l.filter(x => x));""", links)
    ok(len(links) > 15 and not bad, "the first page's links lead somewhere") or diag(bad)

    # ---- the editor ----

    window("desk", "light")
    browser.get(base + "/try.xml")
    until("document.body.dataset.ran", "the editor answers")
    like(js("return document.getElementById('panel-result').textContent"), "<h2>Cooking</h2>.*<h2>Novels</h2>",
         "the result of the first example")
    like(js("return document.getElementById('panel-plan').textContent"), "key by-shelf|by-shelf", "its plan")
    like(js("return document.getElementById('speed').textContent"), "gpuxslt.*parse .*evaluate .*serialise",
         "its times")
    if shutil.which("xsltproc"):
        until("document.getElementById('panel-libxslt').textContent.includes('The same')", "libxslt says the same")
    is_(js("return document.querySelector('#panel-preview iframe').getAttribute('sandbox')"), "",
        "the preview runs no scripts")
    for n in range(2, 6):
        ran = js("return document.body.dataset.ran")
        js("const s = document.getElementById('example'); s.value = '%d'; s.dispatchEvent(new Event('change'));" % n)
        until("document.body.dataset.ran != '%s'" % ran, "example %d runs" % n)
        state = js("return document.getElementById('state').textContent")
        (like if n == 5 else lambda got, _, claim: ok(not got.startswith("Failed"), claim))(state,
            r"Failed at style.xsl:6:\d+", "... with the end that it should have") or diag(state)
    area = browser.find_element(By.ID, "sheet")
    area.click()
    area.send_keys(Keys.CONTROL, "a")
    area.send_keys('<x xsl:version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:message>hello</'
                   'xsl:message><script>alert(1)</script><xsl:value-of select="6*7"/></x>')
    until("document.getElementById('panel-result').textContent.includes('42</x>')", "what is typed is run")
    like(js("return document.getElementById('panel-messages').textContent"), "hello", "... with its messages")
    like(js("return document.querySelector('#sheet').previousElementSibling.innerHTML"), 'class="x-xsl"',
         "... and is coloured")
    browser.find_element(By.ID, "tab-result").send_keys(Keys.ARROW_RIGHT)
    ok(js("return !document.getElementById('panel-preview').hidden && document.getElementById('panel-result').hidden"),
       "arrows go through the tabs")
    shot("try-preview")
    is_([m for m in console() if "sandboxed" not in m], [], "nothing on the console")

    # ---- live figures ----

    browser.get(base + "/live.xml")
    before = int(js("return document.getElementById('Done').textContent.replace(/,/g, '')"))
    browser.find_element(By.ID, "load").click()
    until("/^600 pages in/.test(document.getElementById('said').textContent)", "the button asks for 600 pages", 90)
    until("document.getElementById('Done').textContent.replace(/,/g, '') >= %d" % (before + 600),
          "... which the page shows by itself")
    is_(console(), [], "nothing on the console")
    shot("live-after")
    with open(folder + "/build/demo/error.log") as f:
        is_([line for line in f if "GX0" in line], [], "nothing in the error log")
finally:
    browser.quit()
    os.killpg(demo.pid, signal.SIGTERM)
    demo.wait(20)
    shutil.rmtree(folder, ignore_errors=True)
done()
