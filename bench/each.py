#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many small documents: gpuxslt --each beside xsltproc in a loop, and beside what disk and cores allow.

    bench/each.py [--files 100000] [--loop 2000] [--rounds 3] [--folder DIR]

Makes --files different feeds of 5 KB in DIR, and transforms them with bench/xsl/feed.xsl. xsltproc in a loop, a process
for each document, is measured on
--loop of them. Two limits: copying the files (read, written beside its place, renamed, as --each does), with as many
threads, and as many documents in one process that neither reads nor writes files (--stdin-records from memory to
/dev/null). All on the cores that this process may use (taskset). Prints rows of a table; the best of --rounds, in
turns.
"""
import argparse
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPUXSLT, SHEET = os.path.join(ROOT, "build", "gpuxslt"), os.path.join(ROOT, "bench", "xsl", "feed.xsl")
options = argparse.ArgumentParser()
options.add_argument("--files", type=int, default=100000)
options.add_argument("--loop", type=int, default=2000)
options.add_argument("--rounds", type=int, default=3)
options.add_argument("--folder")
options.add_argument("--team", nargs="*", default=[], help="more teams for the archive, such as gpu")
o = options.parse_args()
cores = len(os.sched_getaffinity(0))
folder = o.folder or tempfile.mkdtemp(prefix="gpuxslt-each-")
source, target, records, archive = (os.path.join(folder, name) for name in ("in", "out", "records", "in.tar"))


def make():
    """Feeds that differ in one number, some to a directory."""
    feed = os.path.join(folder, "feed.xml")
    subprocess.run([sys.executable, os.path.join(ROOT, "bench", "gen_feed.py"), "-b", "5000", "-o", feed], check=True)
    with open(feed, "rb") as f:
        head, tail = f.read().split(b"</title>", 1)
    with open(records, "wb") as all_of_them:
        for i in range(o.files):
            if i % 1000 == 0:
                os.makedirs("%s/%03d" % (source, i // 1000), exist_ok=True)
            bytes_ = head + b" %d</title>" % i + tail
            all_of_them.write(struct.pack(">I", len(bytes_)) + bytes_)
            with open("%s/%03d/%06d.xml" % (source, i // 1000, i), "wb") as f:
                f.write(bytes_)
    subprocess.run(["tar", "cf", archive, "-C", folder, "in"], check=True)
    return len(bytes_)


def names(n):
    return ["%s/%03d/%06d.xml" % (source, i // 1000, i) for i in range(n)]


def clean():
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)


def timed(do):
    os.sync()
    start, cpu = time.monotonic(), os.times()
    do()
    end = os.times()
    return time.monotonic() - start, end.children_user + end.children_system - cpu.children_user - cpu.children_system


def each(*args, **more):
    clean()
    return timed(lambda: subprocess.run([GPUXSLT, "--each", SHEET, *args], check=True,
                                        stderr=subprocess.DEVNULL, **more))


def files():
    return each("--out", target, "--from-list", "-", input="\n".join(names(o.files)).encode())


def loop():
    """xsltproc in a shell's loop: one core."""
    clean()
    with open(folder + "/loop", "w") as f:
        f.write("".join("xsltproc -o %s/%d.html %s %s\n" % (target, i, SHEET, name) for i,
                        name in enumerate(names(o.loop))))
    return timed(lambda: subprocess.run(["sh", folder + "/loop"], check=True))


def loops():
    """The same, a loop for each core: xargs -P."""
    clean()
    pairs = "".join("%s/%d.html %s %s\n" % (target, i, SHEET, name) for i, name in enumerate(names(o.loop))).encode()
    return timed(lambda: subprocess.run(["xargs", "-P", str(cores), "-n", "3", "xsltproc", "-o"], input=pairs,
                                        check=True))


def copy():
    """What the file system takes: each source read and as many bytes as its page has written."""
    clean()
    for i in range(0, o.files, 1000):
        os.makedirs("%s/%03d" % (target, i // 1000))
    with open(folder + "/copy.c", "w") as f:
        f.write(COPY)
    subprocess.run(["cc", "-O2", "-pthread", "-o", folder + "/copy", folder + "/copy.c"], check=True)
    return timed(lambda: subprocess.run([folder + "/copy", source, target, str(o.files), str(cores), str(page)],
                                        check=True))


COPY = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static char **arg; static long next, n, page;
static void *work(void *none)
{
    static _Thread_local char bytes[1 << 20], from[4096], temporary[4096], to[4096];
    for (long i; (i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < n;) {
        snprintf(from, sizeof from, "%s/%03ld/%06ld.xml", arg[1], i / 1000, i);
        snprintf(temporary, sizeof temporary, "%s/%03ld/.%06ld", arg[2], i / 1000, i);
        snprintf(to, sizeof to, "%s/%03ld/%06ld.html", arg[2], i / 1000, i);
        int f = open(from, O_RDONLY);
        if (f < 0 || read(f, bytes, sizeof bytes) < 0) exit(1);
        close(f);
        f = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (f < 0 || write(f, bytes, page) != page || close(f) || rename(temporary, to)) exit(1);
    }
    return none;
}
int main(int argc, char **argv)
{
    pthread_t t[256];
    arg = argv; n = atol(argv[3]); page = atol(argv[5]);
    const int k = atoi(argv[4]);
    for (int i = 0; i < k; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < k; i++) pthread_join(t[i], 0);
    return argc != 6;
}
"""


def memory():
    with open(records, "rb") as f:
        return timed(lambda: subprocess.run([GPUXSLT, "--each", SHEET, "--stdin-records", "length"], stdin=f,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True))


def tar(*team):
    return each(*team, "--tar", archive, "--out", folder + "/out.tar")


size = make()
page = len(subprocess.run([GPUXSLT, SHEET, names(1)[0]], capture_output=True, check=True).stdout)
ways = [("xsltproc in a loop, one core", loop, o.loop), ("xsltproc, a loop a core", loops, o.loop),
        ("gpuxslt --each, files", files, o.files),
        ("... a tar to a tar", tar, o.files), ("limit: files copied by %d threads" % cores, copy, o.files),
        ("limit: records from memory to nowhere", memory, o.files)]
ways += [("... a tar to a tar, --team " + team, lambda team=team: tar("--team", team), o.files) for team in o.team]
best = {}
for _ in range(o.rounds):
    for name, do, n in ways:
        took, cpu = do()
        if name not in best or took / n < best[name][0] / best[name][2]:
            best[name] = took, cpu, n
base = o.loop / best[ways[0][0]][0]
print("%d documents of %d bytes, pages of %d; %d cores; best of %d rounds\n" % (o.files, size, page, cores, o.rounds))
print("| way | documents | seconds | documents/s | CPU us each | times a loop |\n|---|--:|--:|--:|--:|--:|")
for name, _, n in ways:
    took, cpu, n = best[name]
    print("| %s | %d | %.2f | %.0f | %.0f | %.1f |" % (name, n, took, n / took, cpu / n * 1e6, n / took / base))
if not o.folder:
    shutil.rmtree(folder)
