#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuxml-status: a page for people, Prometheus's text format, JSON, XML and text for programs; names are escaped; the
figures add up and survive a graceful restart. Debian's prometheus scrapes it where that is installed."""
import os
import shutil
import sys
import xml.etree.ElementTree as ET
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

web = Httpd("status", """
GPUXMLEngine cpu
<Location /status>
    SetHandler gpuxml-status
</Location>
<Location /a.xml>
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
<Location /b.xml>
    GPUXMLStylesheet conf/xsl/b.xsl
</Location>
<Location /odd.xml>
    GPUXMLSelect "//x[. != '&lt;&quot;>' and . != 'é']" as text
</Location>
""")
web.put("conf/xsl/a.xsl", sheet('<xsl:template match="/"><p><xsl:value-of select="."/></p></xsl:template>'))
web.put("conf/xsl/b.xsl", sheet('<xsl:template match="/"><xsl:message terminate="yes">no</xsl:message></xsl:template>'))
for name in "a.xml", "b.xml", "odd.xml":
    web.put("htdocs/" + name, "<a><x>text</x></a>")

METRIC = (r"# HELP gpuxml_\w+ [A-Z][^\n]*[.]$|# TYPE gpuxml_\w+ (counter|gauge|histogram)$|"
          r'gpuxml_\w+(\{(\w+="([^"\\]|\\["\\])*",?)+\})? \d+(\.\d+)?(e-?\d+)?$')


def metrics(text):
    """name and labels -> value"""
    return {k: float(v) for k, v in re.findall(r"^(gpuxml_\S+?(?:\{.*\})?) (\S+)$", text, re.M)}


def check_histograms(values):
    """None, or what is wrong: buckets grow, the last is the count, the sum is plausible."""
    series = {}
    for name, value in values.items():
        m = re.match(r'(gpuxml_\w+)_bucket\{(.*),le="([^"]+)"\}$', name)
        if m:
            series.setdefault((m.group(1), m.group(2)), []).append((float(m.group(3)), value))
    for (name, labels), buckets in series.items():
        counts = [n for _, n in sorted(buckets)]
        if counts != sorted(counts) or counts[-1] != values.get("%s_count{%s}"
            % (name, labels)) or buckets[-1][0] != float("inf"):
            return name, labels, buckets
        if values["%s_sum{%s}" % (name, labels)] > 10 * counts[-1]:
            return name, labels, "sum"
    return None if len(series) >= 5 else "only %d histograms" % len(series)


def check_prometheus():
    """Debian's prometheus reads the metrics from a running server, and answers a query for a percentile."""
    program, tool = shutil.which("prometheus"), shutil.which("promtool")
    if not program or not tool:
        for what in "promtool check metrics", "prometheus scrapes", "a query for a percentile":
            ok(True, what + " # SKIP Debian's package prometheus is not installed")
        return
    p = subprocess.run([tool, "check", "metrics"], input=web.get("/status?metrics").body, capture_output=True,
                       timeout=60)
    ok(p.returncode == 0 and not p.stdout and not p.stderr,
       "promtool check metrics has nothing to say") or diag((p.stdout + p.stderr).decode())
    port = free_port()
    web.put("conf/prometheus.yml",
            "scrape_configs:\n- job_name: gpuxml\n  scrape_interval: 1s\n  metrics_path: /status/metrics\n"
            "  static_configs:\n  - targets: ['127.0.0.1:%d']\n" % web.port)
    data = tempfile.mkdtemp(prefix="gpuxml-prometheus-")
    server = subprocess.Popen([program, "--config.file=" + web.path("conf/prometheus.yml"),
                               "--storage.tsdb.path=" + data,
                               "--web.listen-address=127.0.0.1:%d" % port], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)

    def query(expression):
        try:
            a = ask(port, "/api/v1/query?query=" + expression)
            return [float(r["value"][1]) for r in json.loads(a.text)["data"]["result"]]
        except (OSError, KeyError, ValueError):
            return []

    try:
        end = time.time() + 30
        while time.time() < end and not query("gpuxml_done_total"):
            time.sleep(0.2)
        is_(query("gpuxml_done_total"), [float(status(web)["Done"])], "prometheus scrapes it")
        got = query("histogram_quantile(0.5,gpuxml_stage_duration_seconds_bucket%7Bstage=%22total%22%7D)")
        ok(len(got) == 1 and 0 < got[0] < 1, "... and answers a query for a percentile: %s" % got)
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(data, ignore_errors=True)


with web:
    for _ in range(40):
        web.get("/a.xml")
    for _ in range(3):
        web.get("/b.xml")
    is_(web.get("/odd.xml").status, 200, "a selection with odd characters")
    etag = web.get("/a.xml")["etag"]
    web.get("/a.xml", If_None_Match=etag)

    s = status(web)
    sheets = {row["Name"]: row for row in s["Stylesheets"]}
    a = sheets.get("a.xsl", {})
    is_((a.get("Done"), a.get("NotModified"), a.get("Failed"), a.get("ByCpu")), (41, 1, 0, 41),
        "?json: a stylesheet's counts")
    is_(sheets.get("b.xsl", {}).get("Failed"), 3, "... and errors")
    is_(sum(row["Done"] for row in s["Stylesheets"]), s["Done"], "... which add up")
    t = a["Stages"]["total"]
    is_((a["Choices"], a["Why"], a["ArenaBytes"] > 0), ({"thread: configured": 41}, "", True),
        "... the engine and why, and what its results took")
    ok(t["N"] == 41 and 0 < t["P50Us"] <= t["P90Us"] <= t["P99Us"] < 60e6, "... and percentiles: %s" % t)

    page = web.get("/status", Accept="text/html,application/xhtml+xml,*/*;q=0.8")
    is_((page.status, page["content-type"]), (200, "text/html; charset=utf-8"), "a browser gets a page")
    like(page.text, r"<h1>gpuxml \d", "... with a heading")
    like(page.text, r"<td>a\.xsl</td><td>41</td><td>0</td><td>1</td>", "... and the stylesheets' figures")
    ok("<svg" in page.text or "Charts appear" in page.text, "... and charts, when there are two samples")
    ok(not re.search(r'(src|href)="(?!data:|\?)', page.text), "... nothing of it comes from elsewhere")
    ok("<\"" not in page.text and "é" not in page.text, "names are escaped")
    is_(web.get("/status").text[:9].lower(), "<!doctype", "without Accept, too")
    is_((page["cache-control"], page["vary"]), ("no-store", "Accept"), "it is not to be kept")
    ok(page.text == web.get("/status").text, "a page that is asked for again within a second is the same one")

    root = ET.fromstring(web.get("/status?xml").text)
    is_(root.find("stylesheet[@name='a.xsl']").get("done"), "41", "?xml is well-formed and has the same")
    like(web.get("/status?auto").text, r"^Engine: cpu.*\nDone: \d+\n", "?auto: a line for each counter")

    texts = [web.get(path, **h).text for path, h in (("/status?metrics", {}), ("/status?metrics=", {}),
                                                     ("/status/metrics", {}),
             ("/status",
              {"Accept": "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"}))]
    ok(all(set(metrics(t)) == set(metrics(texts[0])) for t in texts), "four ways to the metrics")
    with open(os.path.join(ROOT, "docs/grafana-dashboard.json")) as f:
        dashboard = json.load(f)
    drawn = " ".join(t["expr"] for p in dashboard["panels"] for t in p["targets"]) + " ".join(v["query"]["query"]
        for v in dashboard["templating"]["list"] if v["type"] == "query")
    there = {name.split("{")[0] for name in metrics(texts[0])}
    lacks = sorted(set(re.findall(r"gpuxml_\w+", drawn)) - there)
    ok(all(name.startswith("gpuxml_device_") for name in lacks),
       "docs/grafana-dashboard.json draws metrics that there are; a GPU's where there is one (t/73)") or diag(
        str(lacks))
    ok(not any(name.startswith("gpuxml_device_") for name in there) and "Devices" not in s
       and "<device" not in web.get("/status?xml").text, "without a GPU there are no figures of one")
    ok(len({p["id"] for p in dashboard["panels"]}) == len(dashboard["panels"]) >= 9, "... in panels of their own")
    is_([web.get("/status/" + form)["content-type"] for form in ("json", "xml", "auto")],
        [web.get("/status?" + form)["content-type"] for form in ("json", "xml", "auto")],
        "the other forms have paths, too")
    wrong = [line for line in texts[0].splitlines() if not re.match(METRIC, line)]
    ok(not wrong, "each line is Prometheus's text format") or diag("\n".join(wrong[:5]))
    values = metrics(texts[0])
    is_(check_histograms(values), None, "histograms are histograms")
    is_(values.get('gpuxml_stylesheet_evaluations_total{stylesheet="a.xsl",engine="thread"}'), 41.0,
        "... with stylesheet and engine as labels")
    is_(web.get("/status?json").text[:1], "{", "?json")
    is_(web.get("/status", Accept="application/json").text[:1], "{", "... also by Accept")
    a = web.get("/status", "HEAD")
    is_((a.status, a.body), (200, b""), "HEAD")
    check_prometheus()

    before = status(web)
    web.graceful()
    end = time.time() + 20 * SLOW
    # httpd takes the signal when it comes to it
    while time.time() < end and status(web)["Restarts"] == before["Restarts"]:
        time.sleep(0.05)
    web.get("/a.xml")
    after = status(web)
    ok(after["Done"] > before["Done"] and after["Restarts"] == before["Restarts"] + 1,
       "a graceful restart loses nothing")
    ok(after["CacheBytes"] < 64 << 20, "... and children that are gone hold nothing")
    at_once(8, lambda k: [web.get("/status") for _ in range(20)])
    is_(web.get("/status").status, 200, "eight clients that ask for the page again and again")
done()
