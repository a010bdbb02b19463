#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HTTP end to end: a private httpd with each of GPUXMLEngine's ways, plain files, and nginx's XSLT filter (libxslt),
under wrk.

    bench/web.py [--root DIR] [--seconds 2] [--rounds 3] [--connections 16,64,256] [--servers REGEX] [--cases REGEX]
                  [--new] [--output docs/bench] [--note TEXT]

All servers answer the same documents on loopback. Before anything is timed each answer is compared byte for byte: ours
with what gpuxslt writes, nginx's with what xsltproc writes, one by one and with 32 clients at once; after it, once
more. Servers take turns at each cell, round by round, there and back; the tables show the medians of the rounds and of
the rounds' ratios. CPU seconds are those of all processes of a server, the worker included (/proc/PID/stat), and not of
wrk. A way that this machine does not have (no GPU, no nginx) is left out, and said so.

--root: programs and libraries are taken from unpacked Debian packages there (bench/carry.sh makes such a folder), not
from this system. The worker starts with a clean environment: so httpd finds, beside its module, a script that sets
LD_LIBRARY_PATH first. As root httpd's children are www-data: where those cannot read this tree, a copy in a temporary
directory is used.

--new: each answer is a new document to our module (GPUXMLCache off), as those of programs are: it is parsed, and the
worker gets its bytes.

Writes http-DATE.md (--new: http-new-DATE.md) with plots beside it (bench/plot.py), and http-DATE.json.
"""
import argparse, concurrent.futures, datetime, grp, http.client, json, os, pwd, re, shutil, signal, socket, statistics
import subprocess, sys, tempfile, time

import plot
from run import machine

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIB = "usr/lib/x86_64-linux-gnu"
FILES = (("feed5k.xml", "gen_feed.py", "-b", "5000"), ("feed50k.xml", "gen_feed.py", "-b", "50000"),
         ("feed200k.xml", "gen_feed.py", "-b", "200000"), ("auction1m.xml", "gen_auction.py", "-f", "0.01"))
CASES = (       # name, what it is, stylesheet and document, turn about
    ("feed 5 KB", "bench/xsl/feed.xsl", (("feed", "feed5k.xml"),)),
    ("feed 50 KB", "bench/xsl/feed.xsl", (("feed", "feed50k.xml"),)),
    ("feed 200 KB", "bench/xsl/feed.xsl", (("feed", "feed200k.xml"),)),
    ("table 1 MB", "bench/xsl/table.xsl, an auction site of some 1 MB", (("table", "auction1m.xml"),)),
    ("related 50 KB", "bench/xsl/related.xsl, evaluation outweighs parsing", (("related", "feed50k.xml"),)),
    ("mixed", "of ten requests seven for the 5 KB feed, two for the 50 KB feed, one for related.xsl on 50 KB",
     (("feed", "feed5k.xml"),) * 3 + (("feed", "feed50k.xml"),) + (("feed", "feed5k.xml"),
     ) * 2 + (("related", "feed50k.xml"),)
     + (("feed", "feed5k.xml"),) * 2 + (("feed", "feed50k.xml"),)),
)
SHEETS = ("feed", "related", "table")
SERVERS = (     # name, GPUXMLEngine (None: not our module)
    ("plain file", "plain"), ("cpu", "cpu"), ("worker, CPU threads", "worker"), ("gpu", "gpu"), ("auto", "auto"),
                ("nginx libxslt", None),
)
CHILDREN = max(2, min(8, (os.cpu_count() or 1) // 2))       # of httpd
MODULES = "mpm_event unixd authz_core mime alias".split()


def readable_by_all(path):
    while os.stat(path).st_mode & 0o005 == 0o005:
        if path == "/":
            return True
        path = os.path.dirname(path)
    return False


class Place:
    """Where everything lies: the tree, the programs, a scratch folder that the servers' children can read."""
    def __init__(self, a):
        self.scratch = tempfile.mkdtemp(prefix="gpuxml-http-", dir="/tmp")
        os.chmod(self.scratch, 0o755)
        self.tree, self.root = ROOT, os.path.abspath(a.root) if a.root else None
        if os.getuid() == 0 and not readable_by_all(ROOT):
            self.tree = os.path.join(self.scratch, "tree")
            for part in ("bench", "build"):
                keep = None if part == "bench" else lambda d, names: [n for n in names if n not in (
                    "mod_gpuxml.so", "gpuxml-worker", "gpuxslt")] if d == os.path.join(ROOT, "build") else []
                shutil.copytree(os.path.join(ROOT, part), os.path.join(self.tree, part), ignore=keep)
        if self.root and os.getuid() == 0 and not readable_by_all(self.root):
            shutil.copytree(self.root, os.path.join(self.scratch, "root"), symlinks=True)
            self.root = os.path.join(self.scratch, "root")
        self.libraries = ":".join(p for p in (*([os.path.join(self.root, LIB)] if self.root else []),
                                              os.environ.get("LD_LIBRARY_PATH", ""),
                                              *[d for d in ("/usr/local/nvidia/lib64",) if os.path.isdir(d)]) if p)
        self.environment = dict(os.environ, **({"LD_LIBRARY_PATH": self.libraries} if self.libraries else {}))
        user = next((u for u in ("www-data", "nobody") if has_user(u)), None)
        self.user = user if os.getuid() == 0 else None

    def program(self, *names):
        """The path of the first that exists, or None."""
        folders = ("usr/sbin", "usr/bin", "usr/local/bin", "usr/local/sbin")
        for name in names:
            for d in folders:
                path = os.path.join(self.root or "/", d, name)
                if os.access(path, os.X_OK):
                    return path
        return None

    def folder(self, *names):
        return next((d for d in (os.path.join(self.root or "/", n) for n in names) if os.path.isdir(d)), None)

    def output(self, *command):
        p = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if p.returncode:
            raise RuntimeError("%s ended with %d: %s" % (" ".join(command), p.returncode,
                                                         p.stderr.decode("utf-8", "replace")[-500:]))
        return p.stdout


def has_user(name):
    try:
        return bool(pwd.getpwnam(name))
    except KeyError:
        return False


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


# ---- servers ----


class Server:
    """One server process tree; start() waits until it answers."""
    def __init__(self, place, name, engine, threads, is_new):
        self.place, self.name, self.engine, self.threads, self.is_new = place, name, engine, threads, is_new
        self.at = os.path.join(place.scratch, re.sub(r"\W+", "-", name))
        self.port, self.proc, self.says, self.idle = None, None, "", 0
        os.makedirs(self.at + "/tmp", exist_ok=True)
        if place.user:
            os.chmod(self.at + "/tmp", 0o777)

    def why_not(self):
        """A sentence if this way is not there."""
        if self.engine is None:
            if not self.place.program("nginx"):
                return "no nginx"
            return (None if self.place.folder("usr/lib/nginx/modules") and self.filter()
                    else "nginx has no XSLT filter (libnginx-mod-http-xslt-filter)")
        if self.engine == "gpu" and not os.path.exists("/dev/nvidiactl"):
            return "no GPU"
        return None if self.place.program("apache2", "httpd") else "no httpd"

    def filter(self):
        path = os.path.join(self.place.folder("usr/lib/nginx/modules") or "", "ngx_http_xslt_filter_module.so")
        return path if os.path.exists(path) else None

    def command(self):
        xsl, docs = self.place.tree + "/bench/xsl", self.place.scratch + "/docs"
        if self.engine is None:
            write(self.at + "/nginx.conf", NGINX.format(module=self.filter(), at=self.at, port=self.port, docs=docs,
                                                        user="user %s %s;" % (
                self.place.user, grp.getgrgid(pwd.getpwnam(self.place.user).pw_gid).gr_name) if self.place.user
                                                        else "",
                                                        locations="\n".join("        location /%s/ { alias %s/; "
                                                            "xslt_stylesheet %s/%s.xsl; xslt_types text/xml; }"
                                                               % (s, docs, xsl, s) for s in SHEETS)))
            return [self.place.program("nginx"), "-p", self.at, "-c", self.at + "/nginx.conf", "-e",
                    self.at + "/error.log", "-g", "daemon off;"]
        httpd = self.place.program("apache2", "httpd")
        folder = self.place.folder("usr/lib/apache2/modules", "usr/lib64/httpd/modules", "usr/local/apache2/modules")
        static = self.place.output(httpd, "-l").decode()
        load = ["LoadModule %s_module %s/mod_%s.so" % (m, folder, m) for m in MODULES if "mod_%s.c" % m not in static]
        if self.engine != "plain":
            if not os.path.lexists(self.at + "/mod_gpuxml.so"):
                os.symlink(self.place.tree + "/build/mod_gpuxml.so", self.at + "/mod_gpuxml.so")
            # "worker" means CPU threads here, also where there is a GPU
            exports = ["LD_LIBRARY_PATH='%s'"
                       % self.place.libraries] * bool(self.place.libraries) + ["CUDA_VISIBLE_DEVICES="] * (self.engine
                           == "worker")
            write(self.at + "/gpuxml-worker", "#!/bin/sh\n%sexec '%s/build/gpuxml-worker' \"$@\"\n" % (
                "".join("export %s\n" % e for e in exports), self.place.tree), 0o755)
            load += ["LoadModule gpuxml_module %s/mod_gpuxml.so" % self.at, "GPUXMLEngine " + self.engine,
                     *["GPUXMLCache off"] * self.is_new]
            load += ['<Location "/gpuxml-status">\n    SetHandler gpuxml-status\n</Location>']
            load += ['<Location "/%s/">\n    GPUXMLStylesheet %s/%s.xsl\n</Location>' % (s, xsl, s) for s in SHEETS]
        load += ['Alias "/%s/" "%s/"' % (s, docs) for s in SHEETS]
        user = "User %s\nGroup #%d" % (self.place.user, pwd.getpwnam(self.place.user).pw_gid) if self.place.user else ""
        write(self.at + "/httpd.conf", HTTPD.format(children=CHILDREN, threads=self.threads,
            all_threads=CHILDREN * self.threads, at=self.at, port=self.port, docs=docs, user=user,
                                                    load="\n".join(load), level=" gpuxml:notice" if self.engine
                                                    != "plain" else ""))
        return [httpd, "-d", self.at, "-f", self.at + "/httpd.conf", "-DFOREGROUND"]

    def start(self):
        self.port = free_port()
        log = open(self.at + "/stderr", "wb")
        self.proc = subprocess.Popen(self.command(), env=self.place.environment, start_new_session=True,
                                     stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        for _ in range(400):
            if self.proc.poll() is not None:
                raise RuntimeError("it ended: " + self.log())
            try:
                get(self.port, "/")     # httpd listens before the worker is ready, and answers after it
                break
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
        else:
            raise RuntimeError("it does not answer: " + self.log())
        ready = re.findall(r"GX0009: worker ready: (.*?) \(\d+ slots", self.log())
        self.says = ready[-1] if ready else ""
        if self.engine in ("gpu", "worker") and not ready:
            raise RuntimeError("no worker: " + self.log())
        time.sleep(0.5)                 # all children are there
        self.idle = self.cpu_seconds()
        time.sleep(0.2)
        self.idle = self.cpu_seconds() - self.idle
        return self

    def stop(self):
        if self.proc and self.proc.poll() is None:
            self.proc.send_signal(signal.SIGTERM)
            try:
                self.proc.wait(15)
            except subprocess.TimeoutExpired:
                self.proc.kill()
                self.proc.wait()

    def log(self):
        return "".join(open(p, errors="replace").read() for p in (self.at + "/stderr", self.at + "/error.log")
                       if os.path.exists(p))[-2000:]

    def cpu_seconds(self):
        """Of all processes that descend from the server, and of their ended children."""
        parent, ticks = {}, {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/stat" % pid) as f:
                    fields = f.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parent[int(pid)], ticks[int(pid)] = int(fields[1]), sum(map(int, fields[11:15]))
        mine = {self.proc.pid}
        while True:
            more = {p for p, up in parent.items() if up in mine} - mine
            if not more:
                return sum(ticks.get(p, 0) for p in mine) / os.sysconf("SC_CLK_TCK")
            mine |= more

    def settle(self, seconds=10):
        """Waits until it does no more than it did before any load: what a client has left behind is worked off, and not
        counted twice."""
        end = time.time() + seconds
        while time.time() < end:
            before = self.cpu_seconds()
            time.sleep(0.2)
            if self.cpu_seconds() - before <= self.idle + 0.02:
                return


HTTPD = """ServerRoot "{at}"
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
{user}
PidFile "{at}/httpd.pid"
DefaultRuntimeDir "{at}/tmp"
ErrorLog "{at}/error.log"
LogLevel warn{level}
StartServers {children}
ServerLimit {children}
ThreadLimit {threads}
ThreadsPerChild {threads}
MaxRequestWorkers {all_threads}
MinSpareThreads 1
MaxSpareThreads {all_threads}
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 60
TypesConfig /dev/null
{load}
AddType text/xml .xml
DocumentRoot "{docs}"
# as the files that httpd is shipped with have it; else each request looks for .htaccess in five directories
<Directory "/">
    AllowOverride None
</Directory>
<Directory "{docs}">
    Require all granted
</Directory>
"""
NGINX = """load_module {module};
{user}
worker_processes auto;
pid {at}/nginx.pid;
error_log {at}/error.log warn;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    sendfile on;
    keepalive_requests 1000000000;
    types {{ text/xml xml; }}
    client_body_temp_path {at}/tmp; proxy_temp_path {at}/tmp; fastcgi_temp_path {at}/tmp; uwsgi_temp_path {at}/tmp; scgi_temp_path {at}/tmp;
    server {{
        listen 127.0.0.1:{port} reuseport;
        root {docs};
{locations}
    }}
}}
"""

# ---- what the answers must be, and load ----


def get(port, path):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    c.request("GET", path)
    r = c.getresponse()
    body = r.read()
    c.close()
    return r.status, body


def expected(place, engine, sheet, document):
    """The bytes that a server of this kind must answer; None: nobody here can tell."""
    xsl, xml = "%s/bench/xsl/%s.xsl" % (place.tree, sheet), "%s/docs/%s" % (place.scratch, document)
    if engine == "plain":
        return open(xml, "rb").read()
    if engine:
        return place.output(place.tree + "/build/gpuxslt", xsl, xml)
    peer = place.program("xsltproc")
    return place.output(peer, xsl, xml) if peer else None


def url(sheet, document):
    return "/%s/%s" % (sheet, document)


def verify(server, want, at_once):
    """How many of the answers are wrong."""
    todo = [p for p in want for _ in range(8 if at_once > 1 else 1)]

    def wrong(pair):
        status, body = get(server.port, url(*pair))
        return status != 200 or (want[pair] is not None and body != want[pair]) or not body
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        return sum(pool.map(wrong, todo))


MIX = """local paths, list, i = { %s }, {}, 0
init = function(args)
    math.randomseed(tonumber(tostring({}):match("0x(%%x+)"), 16) %% 2147483647)
    i = math.random(#paths)
    for k, p in ipairs(paths) do list[k] = wrk.format(nil, p) end
end
request = function() i = i + 1; return list[i %% #list + 1] end
"""
UNIT_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4}
WARM_UP = 2     # seconds of all requests before a server is measured: its threads' memory, documents to keep


def load(server, wrk, pairs, connections, seconds):
    paths = [url(*p) for p in pairs]
    base, extra = "http://127.0.0.1:%d" % server.port, []
    if len(set(paths)) > 1:
        extra = ["-s", write(server.place.scratch + "/mix.lua", MIX % ", ".join('"%s"' % p for p in paths))]
    before = server.cpu_seconds()
    threads = max(1, min(4, (os.cpu_count() or 1) // 2, connections))
    out = server.place.output(wrk, "-t%d" % threads, "-c%d" % connections, "-d%ds" % seconds, "--timeout", "20s",
                              "--latency", *extra, base + paths[0]).decode()
    spent = server.cpu_seconds() - before

    def latency(percent):
        m = re.search(r"^\s*%d%%\s+([\d.]+)(us|ms|s|m)$" % percent, out, re.M)
        return float(m.group(1)) * UNIT_MS[m.group(2)] if m else float("nan")
    requests = int(re.search(r"(\d+) requests in", out).group(1))
    errors = sum(map(int, re.findall(r"(?:Non-2xx or 3xx responses:|connect|read|write|timeout) (\d+)", out)))
    return {"rate": float(re.search(r"Requests/sec:\s*([\d.]+)", out).group(1)), "p50": latency(50), "p99": latency(99),
            "cpu": spent / max(requests, 1) * 1000, "errors": errors}


# ---- tables ----


def digits(x):
    return "" if x != x else "%.0f" % x if x >= 100 else "%.3g" % x


def tables(results, cases, servers, connections, stem):
    """results[(case, server, c)] = rounds"""
    lines = []
    columns = (("req/s", "rate"), ("p50 ms", "p50"), ("p99 ms", "p99"), ("CPU s/1000", "cpu"))
    for case, what, _ in cases:
        rows = [s for s in servers if any((case, s, c) in results for c in connections)]
        if not rows:
            continue
        svg = "%s-%s.svg" % (stem, re.sub(r"\W+", "-", case))
        heads = ["%s c=%d" % (h, c) for h, _ in columns for c in connections]
        lines += ["## " + case, "", "(%s)" % what, "", "![%s](%s)" % (case, svg), "",
                  "<!-- plot: bars %s; title=HTTP, %s: requests a second, c connections; unit=requests/s; x=server; "
                  "y=%s -->" % (
                      svg, case, ", ".join("req/s c=%d" % c for c in connections)),
                  "| server | %s | errors |" % " | ".join(heads), "|---|%s--:|" % ("--:|" * len(heads))]
        middle = lambda s, c, k: statistics.median([r[k] for r in results.get((case, s, c), ()) if r[k] == r[k]]
                                                   or [float("nan")])
        for s in rows:
            lines.append("| %s | %s | %d |" % (s, " | ".join(digits(middle(s, c, k)) for _,
                k in columns for c in connections),
                                               sum(r["errors"] for c in connections for r in results.get((case, s, c),
                                                   ()))))
        lines.append("")
        for s, others in (("auto", ("cpu", "gpu")), ("cpu", ("nginx libxslt",)), ("auto", ("nginx libxslt",))):
            others = [o for o in others if o in rows]
            if s in rows and others:
                rates = lambda n, c: [r["rate"] for r in results.get((case, n, c), ())]
                ratios = ["%.2f (c=%d)" % (statistics.median([mine / max(1e-9, *theirs) for mine,
                    *theirs in zip(rates(s, c), *(rates(o, c) for o in others))]
                                                             or [float("nan")]), c) for c in connections]
                lines.append("Requests/s, %s / %s, each round by itself: %s.  " % (s,
                    " or ".join(others) if len(others) == 1 else "the better of " + " and ".join(others),
                                                                                   ", ".join(ratios)))
        spread = [max(r["rate"] for r in results[k]) / max(min(r["rate"] for r in results[k]), 1e-9) for k in results
                  if k[0] == case]
        lines += ["Fastest round / slowest, worst of this table: %.2f." % max(spread), ""]
    return lines


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--root", help="a folder of unpacked Debian packages")
    ap.add_argument("--seconds", type=int, default=2)
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--connections", default="16,64,256")
    ap.add_argument("--servers", default="")
    ap.add_argument("--cases", default="")
    ap.add_argument("--new", action="store_true", help="our module keeps no documents")
    ap.add_argument("--output", default=os.path.join(ROOT, "docs", "bench"))
    ap.add_argument("--note", default="", help="a sentence for the report's head")
    a = ap.parse_args()
    connections = [int(c) for c in a.connections.split(",")]
    place = Place(a)
    wrk = place.program("wrk")
    for path, name in ((wrk, "wrk"), (os.path.exists(place.tree + "/build/mod_gpuxml.so"), "build/mod_gpuxml.so")):
        if not path:
            sys.exit("web.py: %s is not there" % name)
    os.makedirs(place.scratch + "/docs")
    for name, generator, *options in FILES:
        subprocess.run([sys.executable, os.path.join(place.tree, "bench", generator), *options, "-o",
                        place.scratch + "/docs/" + name], check=True)
    cases = [c for c in CASES if re.search(a.cases, c[0])]
    # a child whose threads are all busy closes kept-alive connections, which wrk counts as errors: so one child has
    # enough for all
    threads = max(64, max(connections) + 16)
    servers = [Server(place, n, e, threads, a.new) for n, e in SERVERS if re.search(a.servers, n)]
    pairs = {p for c in cases for p in c[2]}
    bad, notes, results = 0, [], {}
    for s in [s for s in servers if s.why_not()]:
        notes.append("%s: left out, %s." % (s.name, s.why_not()))
        servers.remove(s)

    def attempt(s, what):
        """what(), or the server is taken out"""
        nonlocal bad
        try:
            what()
        except (RuntimeError, OSError) as e:
            print("web.py: %s: %s" % (s.name, e), file=sys.stderr, flush=True)
            notes.append("%s: taken out, %s." % (s.name, " ".join(str(e).split())[:300].replace("|", "/").rstrip(".")))
            servers.remove(s)
            s.stop()
            bad += 1

    def check(s, *at_once):
        want = {p: expected(place, s.engine, *p) for p in sorted(pairs)}
        wrong = sum(verify(s, want, n) for n in at_once)
        if wrong:
            raise RuntimeError("%d answers are wrong; %s" % (wrong, s.log()))

    def begin(s):
        s.start()
        check(s, 1, 32)
        load(s, wrk, sorted(pairs), max(connections), WARM_UP)
        notes.extend(["%s: %s." % (s.name, s.says)] if s.says else [])

    def measure(s, case, mix, c, r):
        s.settle()
        got = load(s, wrk, mix, c, a.seconds)
        results.setdefault((case, s.name, c), []).append(got)
        print("round %d  %-20s %-14s c=%-4d %9.0f/s  p50 %.3f ms  p99 %.3f ms  CPU %.3f s/1000  errors %d" % (
            r + 1, s.name, case, c, got["rate"], got["p50"], got["p99"], got["cpu"], got["errors"]), flush=True)
        if s.engine == "auto":          # why it went which way
            print("".join("    %s\n" % line for line in get(s.port, "/gpuxml-status?auto")[1].decode().splitlines()
                          if re.match(r"Cost|Ways|By|Load|Worker", line)), end="", flush=True)
    everyone = list(servers)
    try:
        for s in everyone:
            attempt(s, lambda: begin(s))
        # all stand ready, and each cell of all of them is measured within seconds, there and back: a machine's speed
        # drifts
        for case, _, mix in cases:
            for c in connections:
                for r in range(a.rounds):
                    for s in servers[::-1 if r % 2 else 1]:
                        attempt(s, lambda: measure(s, case, mix, c, r))
        for s in list(servers):
            s.settle()
            attempt(s, lambda: check(s, 32))
    finally:
        for s in everyone:
            s.stop()
        shutil.rmtree(place.scratch, ignore_errors=True)
    date = datetime.date.today().isoformat()
    stem = ("http-new-" if a.new else "http-") + date
    text = ["# HTTP end to end, %s%s" % ("new documents, " if a.new else "", date), "",
            *["GPUXMLCache off: every document is parsed, and sent to the worker.", ""] * a.new,
            *([a.note, ""] if a.note else []),
            "%s. wrk and the servers share the machine, on loopback; %d s a cell, the median of %d rounds in turns, "
            "all servers within seconds of each other. "
            "httpd: event MPM, %d processes of %d threads; nginx: a worker a core. CPU s/1000: CPU seconds of all the "
            "server's processes for 1000 requests. "
            "Answers were compared byte for byte before and after." % (machine(), a.seconds, a.rounds, CHILDREN,
                threads), "", *[n + "  " for n in notes], "",
            *tables(results, cases, [n for n, _ in SERVERS], connections, stem)]
    os.makedirs(a.output, exist_ok=True)
    report = write(os.path.join(a.output, stem + ".md"), "\n".join(text))
    write(os.path.join(a.output, stem + ".json"), json.dumps([{"case": k[0], "server": k[1], "c": k[2], "rounds": v}
        for k, v in results.items()], indent=0) + "\n")
    plot.of_markdown(report)
    print("\n".join(text))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
