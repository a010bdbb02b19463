#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""61-worker.t -- the worker program: its descriptors and privileges, its end, and load under kills, stops and hostile
writes

Load comes from gx-queue-bench, which compares every answer with the local evaluation. B=build/asan t/61-worker.t tests
another build.
"""
import os, re, resource, signal, subprocess, sys, tempfile, time
from worker import SHEET, done, number, ok

B = os.environ.get("B", "build")
WORKER, BENCH = B + "/gpuxml-worker", B + "/gx-queue-bench"
SLOW = 4 if "san" in B else 1


def bench(*args, timeout=90):
    p = subprocess.run([BENCH, *args, sheet, *docs], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       errors="replace",
                       timeout=timeout * SLOW)
    return p.returncode, p.stdout


def workers_of(parent):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = open("/proc/%s/stat" % pid).read()
        except OSError:
            continue
        name, fields = stat[stat.index("(") + 1:stat.rindex(")")], stat[stat.rindex(")") + 2:].split()
        if name == "gpuxml-worker" and int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(pid))
    return found


def wait_for(what, seconds):
    end = time.time() + seconds * SLOW
    while time.time() < end:
        value = what()
        if value:
            return value
        time.sleep(0.02)
    return what()


def alive(pid):
    try:
        return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


if not (os.access(WORKER, os.X_OK) and os.access(BENCH, os.X_OK)):
    print("1..0 # SKIP %s and %s are not built" % (WORKER, BENCH))
    sys.exit(0)

tmp = tempfile.TemporaryDirectory()
sheet = tmp.name + "/s.xsl"
open(sheet, "w").write(SHEET)
docs = []
for k, items in enumerate((1, 10, 40, 900)):
    docs.append("%s/d%d.xml" % (tmp.name, k))
    open(docs[-1], "w").write("<list token='t%d'>%s</list>" % (k,
        "".join("<item n='%d'>text %d of %d &amp;</item>" % (i * 7 % 101, i, k)
                                                                         for i in range(items))))

# called wrongly
run = lambda *a, **k: subprocess.run([WORKER, *a], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                     timeout=20, **k)
ok(run("--threads", "-1").returncode == 2 and run("--what", "1").returncode == 2 and run("--threads").returncode == 2,
   "usage errors end it with 2")
p = run("--memory", "1", "--device", "cpu")
ok(p.returncode == 2, "... such as a shape that is none", p)
p = run("--memory", "3,4,64", "--device", "cpu")
ok(p.returncode == 71 and "shared memory" in p.stderr, "without the shared memory it says so and ends", p)
p = run("--memory", "1,4,64", "--device", "cpu")
ok(p.returncode == 71 and "another version" in p.stderr, "... or of a server whose module is of another build", p)

# right under load
code, text = bench("--requests", "400")
ok(code == 0 and number(text, "worker ") >= 1590, "1600 requests of 4 threads in 2 processes: all answered by the "
                                                  "worker, all right", text)
print("#", "\n# ".join(text.splitlines()))
ok(number(text, "the worker's cores ") == number(text, "; worker "), "... and on its cores, it says", text)
code, text = bench("--requests", "100", "--any-core")
ok(code == 0 and number(text, "the worker's cores ") == number(text, "; worker ") >= 390,
   "whoever would have it so gets the same", text)

# sources: the worker parses, and writes the page
code, text = bench("--requests", "200", "--source")
ok(code == 0 and number(text, "of sources ") == number(text, "; worker ") >= 790,
   "sources: the worker makes the pages", text)
code, text = bench("--requests", "2000", "--pause", "300", "--kill", "150", "--source")
ok(code == 0 and number(text, "(killed ") >= 2 and number(text, "of sources ") > 0,
   "... SIGKILL every 150 ms: nothing lost, nothing wrong", text)
code, text = bench("--requests", "2000", "--pause", "300", "--hostile", "--deadline", "20", "--source")
ok(code == 0, "... a process writes at random into the shared memory: worker and clients live", text)
strange = []
for name, text in (("doctype", "<!DOCTYPE list [<!ENTITY e 'x'>]><list token='&e;'><item n='1'>&e;</item></list>"),
                   ("latin", "<?xml version='1.0' encoding='iso-8859-1'?><list token='\xe9'><item "
                             "n='2'>\xe9</item></list>"),
                   ("spaces", "<list token='a'>\r\n <item n='3'> <!-- c --><?p i?><![CDATA[<&]]> </item></list>\n")):
    strange.append("%s/%s.xml" % (tmp.name, name))
    open(strange[-1], "w", encoding="latin-1", newline="").write(text)
own, docs = docs, strange
code, text = bench("--requests", "60", "--source")
ok(code == 0 and 0 < number(text, "of sources ") < 240 == number(text, "; worker ") + number(text, "local "),
   "... what it does not read is read by who asks", text)
docs = own
here = os.sched_getaffinity(0)
os.sched_setaffinity(0, [min(here)])
code, text = bench("--requests", "20")
os.sched_setaffinity(0, here)
ok(code == 0 and "engine cpu, 1 thread;" in text, "on one core of this machine it has one thread", text)
if "san" not in B:      # whose address space is all there is
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, limits[1]))
    code, text = bench("--requests", "20", "--threads", "64")
    resource.setrlimit(resource.RLIMIT_AS, limits)
    ok(code == 0 and 1 < number(text, "engine cpu, ") < 64 and re.search(r"gpuxml-worker: (\d+) threads instead of 64: "
        r"no address space", text),
       "room for few threads' arenas (ulimit -v): it has few threads", text)
code, text = bench("--requests", "200", "--slots", "2")
ok(code == 0, "two slots for four threads", text)
code, text = bench("--requests", "200", "--memory", "1")
ok(code == 0, "1 MiB: what finds no room is evaluated by the client", text)
code, text = bench("--requests", "4000", "--pause", "300", "--kill", "150")
ok(code == 0 and number(text, "(killed ") >= 3, "SIGKILL every 150 ms: nothing lost, nothing wrong", text)
code, text = bench("--requests", "1500", "--pause", "1000", "--stop", "500")
ok(code == 0 and number(text, "stopped ") >= 1,
   "SIGSTOP for 1.5 s: the clients go on without it, nothing lost or wrong", text)
code, text = bench("--requests", "3000", "--pause", "300", "--hostile", "--deadline", "20")
ok(code == 0, "a process writes at random into the shared memory: worker and clients live", text)

code, text = bench("--requests", "100", "--no-sandbox")
ok(code == 0 and number(text, "worker ") >= 390, "without its sandbox", text)

# two programs with the same digest
folder = tmp.name + "/collide"
os.mkdir(folder)
if os.access(B + "/t/60-queue-collide", os.X_OK):
    subprocess.run([B + "/t/60-queue-collide", folder], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    p = subprocess.run([BENCH, "--requests", "100", *(folder + "/" + n for n in ("a.xsl", "b.xsl", "a.xml", "b.xml"))],
                       capture_output=True, text=True,
                       timeout=90 * SLOW)
    ok(p.returncode == 0 and number(p.stdout, "worker ") >= 390,
       "stylesheets that someone made so that they have the same digest: each has its answers",
       p.stdout)
else:
    ok(True, "stylesheets with the same digest # SKIP %s/t/60-queue-collide is not built" % B)

# what it may hold, and its end
p = subprocess.Popen([BENCH, "--requests", "100000", "--pause", "1000", sheet, *docs], stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL,
                     start_new_session=True, env=dict(os.environ, CUDA_VISIBLE_DEVICES="1", SECRET="x"))
try:
    pid = (wait_for(lambda: workers_of(p.pid), 5) or [0])[0]
    time.sleep(0.3)
    try:
        fds = sorted(int(f) for f in os.listdir("/proc/%d/fd" % pid))
        ok(fds == [0, 1, 2, 3, 4], "it holds five descriptors", fds)
        env = open("/proc/%d/environ" % pid).read()
        ok("CUDA_VISIBLE_DEVICES=1" in env and "SECRET" not in env,
           "of the environment it gets what says which GPUs are for it", env)
    except OSError as e:
        ok(True, "it holds five descriptors # SKIP " + str(e))
    status = open("/proc/%d/status" % pid).read() if pid else ""
    limits = open("/proc/%d/limits" % pid).read() if pid and os.geteuid() == 0 else "Max core file size        0 "
    ok("NoNewPrivs:\t1" in status, "it can gain no privileges", status)
    ok("Max core file size        0 " in limits, "it leaves no core", limits)
    if "san" in B or not os.path.exists("/proc/sys/kernel/seccomp"):
        ok(True, "a system call filter # SKIP a sanitizer, or a kernel without seccomp")
    else:
        ok("Seccomp:\t2" in status, "a system call filter", status)
        if os.geteuid() == 0:
            threads = ["Seccomp:\t2" in open("/proc/%d/task/%s/status" % (pid, t)).read()
                       for t in os.listdir("/proc/%d/task" % pid)]
            ok(all(threads) and len(threads) > 1, "... of all its threads", threads)
            ok(all(re.search(r"%s +(?!unlimited)\d+ +(?!unlimited)\d+" % what, limits) for what in ("Max data size",
                "Max file size", "Max processes")),
               "it has limits", limits)
    if os.geteuid() == 0 and subprocess.run(["unshare", "-n", "-i", "true"], stderr=subprocess.DEVNULL).returncode == 0:
        ok(os.readlink("/proc/%d/ns/net" % pid) != os.readlink("/proc/self/ns/net"), "its network is its own")
    os.kill(p.pid, signal.SIGKILL)
    p.wait()
    ok(pid and wait_for(lambda: not alive(pid), 2), "it ends with its parent")
finally:
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except OSError:
        pass

done()
