#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Containerfile: buildah builds both of its images from stand-ins for Debian's and NVIDIA's, in which apt-get and make
only say what they were asked for; a build of this machine's stays outside; the packages that the images install have
all libraries that our programs ask for."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
count = failed = 0


def ok(good, name, why=""):
    global count, failed
    count += 1
    failed += not good
    print("%sok %d - %s" % ("" if good else "not ", count, name), flush=True)
    if not good and why != "":
        print("".join("# %s\n" % line[:300] for line in str(why).splitlines()[-12:]), end="")
    return good


def done():
    print("1..%d" % count)
    sys.exit(failed != 0)


def skip(why):
    print("1..0 # SKIP %s" % why)
    sys.exit(0)


with open(os.path.join(ROOT, "Containerfile")) as f:
    text = f.read()
buildah = shutil.which("buildah")
if not buildah:
    skip("buildah is not installed: make deps-all installs it")
if os.getuid() != 0:
    skip("it needs root here: buildah's storage and chroot are tried without user namespaces")

D = tempfile.mkdtemp(prefix="gpuxml-container-")
STORE = [buildah, "--root", D + "/store", "--runroot", D + "/run", "--storage-driver", "vfs"]


def run(*args, timeout=240):
    return subprocess.run([*STORE, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=timeout, cwd=D)


def put(path, body, mode=0o644):
    os.makedirs(os.path.dirname(D + "/" + path), exist_ok=True)
    with open(D + "/" + path, "w") as f:
        f.write(body)
    os.chmod(D + "/" + path, mode)


# The stand-in: no files but links into this machine's /usr, which is mounted for RUN, and programs that write down
# what they were asked for
SAY = '#!/bin/sh\necho "${0##*/} $*" >>/said\n'
put("stub/apt-get", SAY, 0o755)
put("stub/a2enmod", SAY, 0o755)
put("stub/make", SAY + """for word; do case $word in DESTDIR=*) out=${word#*=};; esac; done
if [ "$out" ]; then
    mkdir -p $out/usr/lib/apache2/modules
    ls -A >$out/sources
    cp /said $out/said-by-build
    echo module >$out/usr/lib/apache2/modules/mod_gpuxml.so
fi
""", 0o755)
put("Stand-in", "FROM scratch\nCOPY stub /stub\nCOPY links /\nENV PATH=/stub:/usr/sbin:/usr/bin:/bin\n")
os.makedirs(D + "/links/tmp")
for name in "bin", "lib", "lib64", "sbin":
    os.symlink("usr/" + name, D + "/links/" + name)
HOST = ["--isolation", "chroot", "--network", "host", "-v", "/usr:/usr:ro"]

try:
    # the sources as git has them, and what a build leaves beside them
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE,
                           text=True).stdout.split("\n")[:-1]
    for name in files or [os.path.relpath(os.path.join(at, f), ROOT) for at, _,
                          fs in os.walk(ROOT) if "/build" not in at and "/.git" not in at for f in fs]:
        if os.path.isfile(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(D + "/context/" + name), exist_ok=True)
            shutil.copy(os.path.join(ROOT, name), D + "/context/" + name)
    for name in "build/mod_gpuxml.so", ".git/HEAD":
        put("context/" + name, "of this machine")
    p = run("bud", "-f", D + "/Stand-in", "-t", "localhost/stand-in:1", D)
    for tag in ("localhost/stand-in:1-devel-ubuntu24.04",
                "localhost/stand-in:1-base-ubuntu24.04") if p.returncode == 0 else ():
        p = run("tag", "localhost/stand-in:1", tag)
    if p.returncode == 0:
        put("Try", "FROM localhost/stand-in:1\nRUN true\n")
        p = run("bud", *HOST, "-f", D + "/Try", D)
    if p.returncode != 0:
        skip("buildah cannot run anything here: " + " ".join(p.stdout.split())[-200:])

    for target, args in (("cpu", []), ("cuda", ["--target", "cuda"])):
        image = "localhost/made:" + target
        p = run("bud", *HOST, *args, "--build-arg", "DEBIAN=localhost/stand-in:1", "--build-arg",
                "CUDA=localhost/stand-in:1", "-t", image, "-f", D + "/context/Containerfile", D + "/context")
        if not ok(p.returncode == 0, "%s: buildah builds the image" % target, p.stdout):
            continue
        container = run("from", image).stdout.split()[-1]
        at = run("mount", container).stdout.split()[-1]

        def get(name):
            with open(at + "/" + name) as f:
                return f.read()
        ok(get("usr/lib/apache2/modules/mod_gpuxml.so") == "module\n",
           "... with what make installed in the stage before")
        with open(ROOT + "/conf/container.conf") as f:
            ok(get("etc/apache2/conf-enabled/gpuxml.conf") == f.read(),
               "... conf/container.conf in httpd's configuration")
        ok(os.path.isdir(at + "/srv/www") and os.path.isdir(at + "/srv/xsl"), "... and the folders that it names")
        said = get("said-by-build")
        ok("make deps" in said and ("NVCC=" in said) == (target == "cpu"),
           "... made without kernels for CPUs, with them for GPUs", said)
        sources = get("sources").split()
        ok("Makefile" in sources and "engine" in sources and "build" not in sources and ".git" not in sources,
           "... of the sources alone, not of what this machine has built", sources)
        ok("a2enmod gpuxml headers" in get("said"), "... and the module is enabled", get("said"))
        config = json.loads(run("inspect", "--type", "image", image).stdout)["OCIv1"]["config"]
        ok(config["Cmd"] == ["apachectl", "-D", "FOREGROUND"] and "80/tcp" in config["ExposedPorts"],
           "... it runs httpd, on port 80", config)
        run("rm", container)
finally:
    subprocess.run([*STORE, "rm", "-a"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([*STORE, "rmi", "-a", "-f"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shutil.rmtree(D, ignore_errors=True)

# ---- libraries ----
programs = [p for p in (os.path.join(ROOT, "build", name) for name in ("mod_gpuxml.so", "gpuxml-worker", "gpuxslt"))
            if os.path.exists(p)]
installed = set(re.search(r"--no-install-recommends (.*?) &&", text[text.index("AS cpu"):]).group(1).split())
if programs and shutil.which("dpkg-query"):
    asked = subprocess.run(["apt-cache", "depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts",
                            "--no-breaks", "--no-replaces", "--no-enhances", *installed],
                           stdout=subprocess.PIPE, text=True).stdout
    there = installed | set(re.findall(r"^(\w[\w.+-]+)$", asked, re.M)) | {"libc6"}
    lacks = set()
    for program in programs:
        for path in re.findall(r"=> (/\S+)", subprocess.run(["ldd", program], stdout=subprocess.PIPE,
                                                            text=True).stdout):
            found = subprocess.run(["dpkg-query", "-S", "*" + os.path.basename(os.path.realpath(path))],
                                   stdout=subprocess.PIPE, text=True).stdout
            owners = set(re.findall(r"^([^:, ]+)(?::\w+)?: ", found, re.M))
            if not owners & there:
                lacks.add((os.path.basename(program), path))
    ok(not lacks, "the image's packages have all libraries that the programs need", sorted(lacks))
else:
    ok(True, "libraries # SKIP nothing is built, or this is no Debian")
done()
