# SPDX-License-Identifier: Apache-2.0
"""harness.py -- a private httpd on loopback for the tests, and a client that sees every byte

    with Httpd("event", conf) as web:
        answer = web.get("/a.xml")

A server's files lie in build/httpd/NAME (SERVERS), made anew each time: conf/ (httpd.conf, xsl/), htdocs/, cgi-bin/,
logs/. It listens on a free port of 127.0.0.1, as root (then its children are www-data) or not. The module is
build/mod_gpuxml.so, or $GPUXML_MODULE, for which httpd may need to preload $GPUXML_PRELOAD (make test-sanitized): what
these sanitizers say fails the test, and deadlines are SLOW times as late. Tests print TAP through ok(), is_(), like()
and end with done().
"""
import atexit
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULE = os.path.abspath(os.environ.get("GPUXML_MODULE", os.path.join(ROOT, "build", "mod_gpuxml.so")))
PRELOAD = ["env", "LD_PRELOAD=" + os.environ["GPUXML_PRELOAD"]] if "GPUXML_PRELOAD" in os.environ else []
SLOW = 4 if PRELOAD else 1
SANITIZER = r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|: runtime error: "
APACHE = next((p for p in ("/usr/sbin/apache2", "/usr/sbin/httpd") if os.path.exists(p)), None)
MODULES = next((p for p in ("/usr/lib/apache2/modules", "/usr/lib64/httpd/modules") if os.path.isdir(p)), None)


def servers():
    """build/httpd; as root, whose children are www-data, a directory of /tmp where these could not come there (a
    checkout in /root)"""
    path = ROOT
    while path != "/" and os.stat(path).st_mode & 0o001:
        path = os.path.dirname(path)
    if os.getuid() or path == "/":
        return os.path.join(ROOT, "build", "httpd")
    path = tempfile.mkdtemp(prefix="gpuxml-httpd-")
    os.chmod(path, 0o755)
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


SERVERS = servers()

# ---- sanitizers ----

def measure_memory():
    """Servers that start from now on keep no memory for AddressSanitizer's sake: freed blocks (256 MB otherwise) and the
    frames of functions that have returned (some 4 MB a thread). Whether it can be measured: ThreadSanitizer's own is
    several times what httpd takes."""
    os.environ["ASAN_OPTIONS"] = ("quarantine_size_mb=0:thread_local_quarantine_size_kb=0:"
                                  "allocator_release_to_os_interval_ms=0:detect_stack_use_after_return=0")
    return "libtsan" not in os.environ.get("GPUXML_PRELOAD", "")


# ---- TAP ----

_count = 0
_failed = 0


def ok(good, name):
    global _count, _failed
    _count += 1
    if not good:
        _failed += 1
    print("%sok %d - %s" % ("" if good else "not ", _count, name), flush=True)
    return good


def diag(text):
    for line in str(text).splitlines():
        print("# " + line, flush=True)


def is_(got, want, name):
    if not ok(got == want, name):
        diag("got:  %r" % (got,))
        diag("want: %r" % (want,))
    return got == want


def like(got, pattern, name):
    if not ok(re.search(pattern, got or "", re.S) is not None, name):
        diag("got: %r" % (got,))
        diag("want a match of: %r" % (pattern,))


def done():
    print("1..%d" % _count, flush=True)
    sys.exit(1 if _failed else 0)


def need():
    """Ends the test when there is nothing to test with."""
    if not APACHE or not MODULES:
        print("1..0 # SKIP no Apache httpd installed")
        sys.exit(0)
    if not os.path.exists(MODULE):
        print("1..0 # SKIP %s is not built" % MODULE)
        sys.exit(0)


# ---- a client ----

class Answer:
    def __init__(self, raw):
        self.raw = raw
        head, _, body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        parts = lines[0].split(" ", 2)
        self.status = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0
        self.headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            name = name.strip().lower()
            self.headers[name] = self.headers[name] + ", " + value.strip() if name in self.headers else value.strip()
        self.complete = True
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            body, self.complete = unchunk(body)
        elif "content-length" in self.headers:
            self.complete = len(body) == int(self.headers["content-length"])
        self.body = body

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    def __getitem__(self, name):
        return self.headers.get(name.lower())


def unchunk(data):
    out = b""
    while True:
        size, sep, data = data.partition(b"\r\n")
        if not sep:
            return out, False
        n = int(size.split(b";")[0], 16)
        if n == 0:
            return out, True
        if len(data) < n + 2:
            return out + data, False
        out, data = out + data[:n], data[n + 2:]


def ask(port, path, method="GET", headers=None, timeout=30):
    """One request, one connection; everything that comes back."""
    fields = {"Host": "localhost", "Connection": "close"}
    fields.update(headers or {})
    text = "%s %s HTTP/1.1\r\n%s\r\n" % (method, path, "".join("%s: %s\r\n" % f for f in fields.items()))
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as s:
        s.sendall(text.encode("latin-1"))
        raw = b""
        while True:
            piece = s.recv(65536)
            if not piece:
                break
            raw += piece
    return Answer(raw)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# ---- the server ----

CONF = """
ServerRoot "{root}"
DefaultRuntimeDir "{root}/run"
PidFile "{root}/run/httpd.pid"
Listen 127.0.0.1:{port}
ServerName localhost
{user}
{modules}
LoadModule gpuxml_module {module}
DocumentRoot "{root}/htdocs"
TypesConfig /dev/null
AddType text/xml .xml
AddType text/html .html
AddType text/plain .txt
AddType application/rss+xml .rss
AddType application/xhtml+xml .xhtml
AddType image/svg+xml .svg
ErrorLog "{root}/logs/error.log"
LogLevel warn gpuxml:{level}
LogFormat "%>s %U state=%{{GPUXML_STATE}}e code=%{{GPUXML_CODE}}e engine=%{{GPUXML_ENGINE}}e sheet=%{{GPUXML_STYLESHEET}}e in=%{{GPUXML_IN}}e out=%{{GPUXML_OUT}}e nodes=%{{GPUXML_NODES}}e" gx
CustomLog "{root}/logs/access.log" gx
Timeout 20
KeepAlive On
GracefulShutDownTimeout 5
{deadline}
<Directory />
    Require all granted
    AllowOverride {override}
    Options +FollowSymLinks +Includes
</Directory>
ScriptAlias /cgi-bin/ "{root}/cgi-bin/"
{mpm}
{conf}
"""

MPM = {
    "event": "StartServers 1\nServerLimit 2\nThreadsPerChild 25\nMaxRequestWorkers 50\nMinSpareThreads "
             "5\nMaxSpareThreads 50\n",
    "worker": "StartServers 1\nServerLimit 2\nThreadsPerChild 25\nMaxRequestWorkers 50\nMinSpareThreads "
              "5\nMaxSpareThreads 50\n",
    "prefork": "StartServers 4\nMinSpareServers 2\nMaxSpareServers 8\nMaxRequestWorkers 32\n",
}

LOADED = ["authz_core", "unixd", "mime", "dir", "alias", "env", "setenvif", "headers", "filter", "deflate", "include",
          "proxy", "proxy_http", "log_config", "status", "rewrite"]


class Httpd:
    def __init__(self, name, conf="", mpm="event", level="info", override="None", modules=()):
        self.root = os.path.join(SERVERS, name)
        shutil.rmtree(self.root, ignore_errors=True)
        for folder in ("conf/xsl", "htdocs", "cgi-bin", "logs", "run"):
            os.makedirs(os.path.join(self.root, folder))
        self.port = free_port()
        self.conf, self.mpm, self.level, self.override = conf, mpm, level, override
        self.modules = list(modules)
        self.proc = None
        self.error_at = 0

    def path(self, name):
        return os.path.join(self.root, name)

    def put(self, name, text, mode=0o644):
        """Writes a file as an editor does: a new one, moved into place."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(path + ".new", mode)
        os.rename(path + ".new", path)
        return path

    def cgi(self, name, text):
        return self.put("cgi-bin/" + name, text, 0o755)

    def write_conf(self, conf=None):
        if conf is not None:
            self.conf = conf
        names = LOADED + self.modules + ["mpm_" + self.mpm, "cgi" if self.mpm == "prefork" else "cgid"]
        load = []
        for n in names:
            so = os.path.join(MODULES, "mod_%s.so" % n)
            if os.path.exists(so):
                load.append("LoadModule %s_module %s" % (n, so))
        user = "User www-data\nGroup www-data" if os.getuid() == 0 else ""
        cgid = "" if self.mpm == "prefork" else 'ScriptSock "%s/run/cgid"' % short(self.root)
        text = CONF.format(root=self.root, port=self.port, user=user, modules="\n".join(load), module=MODULE,
                           level=self.level,
                           override=self.override, mpm=MPM[self.mpm] + cgid,
                           conf=self.conf.replace("@ROOT@", self.root),
                           deadline="GPUXMLTimeout %ds" % (5 * SLOW) if PRELOAD else "")
        self.put("conf/httpd.conf", text)

    def command(self, *args):
        return PRELOAD + [APACHE, "-d", self.root, "-f", self.path("conf/httpd.conf")] + list(args)

    def test(self, *args):
        """httpd -t: its exit status and what it says."""
        self.write_conf()
        p = subprocess.run(self.command("-t", *args), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30)
        return p.returncode, p.stdout.decode("utf-8", "replace")

    def start(self):
        self.write_conf()
        if os.getuid() == 0:
            # the children are www-data: they need the way to their files, and may write nothing
            for folder, _, _ in os.walk(self.root):
                os.chmod(folder, 0o755)
        self.proc = subprocess.Popen(self.command("-DFOREGROUND"), start_new_session=True,      # it signals its group
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=open(self.path("logs/stderr"), "wb"))
        atexit.register(self.stop)
        for _ in range(200):
            if self.proc.poll() is not None:
                raise RuntimeError("httpd ended: " + open(self.path("logs/stderr")).read() + self.log())
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("httpd does not answer: " + self.log())

    def stop(self):
        if self.proc and self.proc.poll() is None:
            self.proc.send_signal(signal.SIGTERM)
            try:
                self.proc.wait(15)
            except subprocess.TimeoutExpired:
                self.proc.kill()
                self.proc.wait()
            if PRELOAD:
                said = self.log() + open(self.path("logs/stderr"), errors="replace").read()
                at = re.search(SANITIZER, said)
                ok(not at, "sanitizers find nothing in httpd")
                if at:
                    diag(said[max(at.start() - 200, 0):][:20000])
        self.proc = None

    def graceful(self):
        self.proc.send_signal(signal.SIGUSR1)

    __enter__ = start

    def __exit__(self, *_):
        self.stop()

    def get(self, path, method="GET", **headers):
        return ask(self.port, path, method, {k.replace("_", "-"): v for k, v in headers.items()})

    def children(self):
        """Process number -> /proc/PID/status of those that serve, and of mod_cgid's daemon."""
        out = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/status" % pid) as f:
                    text = f.read()
            except OSError:
                continue
            if "PPid:\t%d\n" % self.proc.pid in text:
                out[int(pid)] = text
        return out

    def log(self):
        if not os.path.exists(self.path("logs/error.log")):
            return ""
        with open(self.path("logs/error.log"), errors="replace") as f:
            return f.read()

    def new_log(self, pattern="GX0", wait=0.0):
        """Lines that match and came since the last call."""
        end = time.time() + wait
        while True:
            text = self.log()[self.error_at:]
            lines = [line for line in text.splitlines() if re.search(pattern, line)]
            if lines or time.time() >= end:
                break
            time.sleep(0.02)
        self.error_at += len(text)
        return lines

    def access(self, path=""):
        """The access log's lines for a path; the last request's line may take a moment to be there."""
        time.sleep(0.1)
        with open(self.path("logs/access.log"), errors="replace") as f:
            return [line.rstrip("\n") for line in f if " " + path in line]


def short(path):
    """A path for a socket, which must not be longer than 107 bytes."""
    return path if len(path) < 90 else os.path.relpath(path)


# ---- a back end that does what it is told ----

class Backend:
    """Serves handler(request) on a free port in threads. The handler is a http.server.BaseHTTPRequestHandler's
    do_GET."""

    def __init__(self, do_get):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True      # head and body are two writes: else 40 ms an answer

            def do_GET(self):
                do_get(self)

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def status(web):
    """What gpuxml-status says, which the configuration has at /status."""
    return json.loads(web.get("/status?json").text)


def at_once(n, client):
    """client(0) to client(n - 1), each in a thread of its own, until all have ended."""
    threads = [threading.Thread(target=client, args=(k,)) for k in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def answer(request, body, type="text/xml", status=200, **headers):
    """A whole answer from a back end's handler."""
    request.send_response(status)
    request.send_header("Content-Type", type)
    if status not in (204, 304):
        request.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        request.send_header(name.replace("_", "-"), value)
    request.end_headers()
    if request.command != "HEAD":
        request.wfile.write(body)


def sheet(body, extra=""):
    return ('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">%s%s</xsl:stylesheet>\n'
            % (extra, body))
