#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# carry.sh -- everything that a bare x86-64 machine with a GPU needs for our tests and benchmarks, in two files
#
#   bench/carry.sh                       here, on Debian, after make: writes build/carry/gpuxml.tar.gz and build/carry/run
#   build/carry/run [all|test|gpu|http]  there: unpacks it (once) in a temporary directory and runs; needs a POSIX shell, tar, gzip,
#                                        python3, and a glibc no older than here. REPORTS=DIR: where reports go (default: here)
#   bench/carry.sh --papers              the same for the figures of the papers alone: build/carry-papers; there: run papers [OPTIONS]
#                                        (bench/papers_gpu.py)
#
# The archive: gpuxml/ (benchmarks, cases, what was built), root/ (httpd, nginx with its XSLT filter, wrk, xsltproc and the
# libraries of all of them and of ours, but for glibc and libstdc++: from Debian packages), shared/ where that is beside the project.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
only=${1:-}
out=$here/build/carry${only#-}
limit=$((55 << 20))
packages="apache2-bin wrk nginx libnginx-mod-http-xslt-filter xsltproc libapr1 libaprutil1 libexpat1 libpcre2-8-0 libuuid1 libcrypt1 zlib1g libssl3
    libluajit-5.1-2 libxml2 libxslt1.1 libicu72 liblzma5 libgcrypt20 libgpg-error0"
programs="usr/sbin/apache2 usr/sbin/nginx usr/bin/wrk usr/bin/xsltproc"
modules="mpm_event unixd authz_core mime alias"
built="mod_gpuxml.so gpuxml-worker gpuxslt gx-queue-bench gx-gpu-check"
if [ "$only" = --papers ]; then
    packages="libapr1 libexpat1 libpcre2-8-0 libuuid1 zlib1g"
    programs=
    modules=
    built="gpuxml-worker gx-queue-bench gx-gpu-check gx-sort-bench"
fi

for f in $built; do
    [ -e "$here/build/$f" ] || { echo "carry.sh: build/$f is not there; run make (with nvcc)" >&2; exit 1; }
done
rm -rf "$out"
mkdir -p "$out/debs" "$out/all" "$out/tree/root/usr/lib/x86_64-linux-gnu" "$out/tree/root/usr/lib/apache2/modules" "$out/tree/gpuxml/build"

(cd "$out/debs" && apt-get -q -o APT::Sandbox::User=root download $packages)
for deb in "$out"/debs/*.deb; do dpkg -x "$deb" "$out/all"; done

root=$out/tree/root
for p in $programs; do
    mkdir -p "$root/$(dirname "$p")"
    cp "$out/all/$p" "$root/$p"
done
for m in $modules; do      # what is linked in has no file
    f=$out/all/usr/lib/apache2/modules/mod_$m.so
    [ -e "$f" ] && cp "$f" "$root/usr/lib/apache2/modules/"
done
if [ -n "$modules" ]; then
    mkdir -p "$root/usr/lib/nginx/modules"
    cp "$out/all/usr/lib/nginx/modules/ngx_http_xslt_filter_module.so" "$root/usr/lib/nginx/modules/"
fi

for f in $built; do
    cp "$here/build/$f" "$out/tree/gpuxml/build/"
    strip "$out/tree/gpuxml/build/$f"
done
if [ -e "$here/build/bench/libxslt" ]; then         # the peer, where its headers are
    mkdir "$out/tree/gpuxml/build/bench"
    cp "$here/build/bench/libxslt" "$out/tree/gpuxml/build/bench/"
fi
(cd "$here" && git ls-files bench t/cases t/differential.py tools && cd build 2>/dev/null && [ -n "$modules" ] && find gpu-random -type f 2>/dev/null | sed 's|^|build/|') |
    tar -C "$here" -c -T - | tar -x -C "$out/tree/gpuxml"
if [ -n "$modules" ] && [ -d "$here/../shared/conformance" ]; then
    mkdir "$out/tree/shared"
    cp -r "$here/../shared/conformance" "$out/tree/shared/"
    [ ! -d "$here/../shared/perf" ] || cp -r "$here/../shared/perf" "$out/tree/shared/"
    chmod -R u+w "$out/tree/shared"
fi

# libraries: what the dynamic linker asks for, from the packages, until nothing but the C and C++ runtimes comes from elsewhere
lib=$root/usr/lib/x86_64-linux-gnu
wanted() { find "$root" "$out/tree/gpuxml/build" -maxdepth 6 -type f \( -perm -u+x -o -name '*.so*' \) -exec readelf -d {} + 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' | sort -u; }
more=1
while [ "$more" = 1 ]; do
    more=0
    for so in $(wanted); do
        case $so in libc.so.*|libm.so.*|libpthread.so.*|libdl.so.*|librt.so.*|ld-linux*|libstdc++.so.*|libgcc_s.so.*) continue ;; esac
        [ -e "$lib/$so" ] && continue
        from=$(find "$out/all" -name "$so" | head -n 1)
        [ -n "$from" ] || { echo "carry.sh: $so is in none of the packages; add its package to the list" >&2; exit 1; }
        cp -L "$from" "$lib/$so"
        more=1
    done
done

tar -C "$out/tree" -c . | gzip -9 >"$out/gpuxml.tar.gz"
rm -rf "$out/debs" "$out/all" "$out/tree"
cat >"$out/run" <<'RUN'
#!/bin/sh
# run [all|test|gpu|http|papers]: see bench/carry.sh. OPTIONS of a single one follow it (run http --rounds 1).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
what=${1:-all}
[ $# = 0 ] || shift
mkdir -p "${REPORTS:=.}"
reports=$(cd "$REPORTS" && pwd)
at=${TMPDIR:-/tmp}/gpuxml-carried-$(cksum <"$here/gpuxml.tar.gz" | cut -d ' ' -f 1)
if [ ! -e "$at/done" ]; then
    rm -rf "$at"
    mkdir -p "$at"
    chmod 755 "$at"
    gzip -dc "$here/gpuxml.tar.gz" | tar -x --no-same-owner -C "$at"
    chmod -R a+rX "$at"
    touch "$at/done"
fi
cd "$at/gpuxml"
libraries=$at/root/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
failed=0
try() { echo "== $*" >&2; "$@" || { echo "== FAILED: $*" >&2; failed=1; }; }
case $what in all|test)
    tools/gpu-cases >build/gpu-cases
    try env LD_LIBRARY_PATH="$libraries" build/gx-gpu-check cases build/gpu-cases >"$reports/test-gpu.log"
    tail -n 5 "$reports/test-gpu.log" ;;
esac
case $what in all|gpu)
    try python3 bench/gpu.py --root "$at/root" --output "$reports" "$@" ;;
esac
case $what in all|http)
    try python3 bench/web.py --root "$at/root" --output "$reports" "$@" ;;
esac
case $what in papers)
    try python3 bench/papers_gpu.py --libraries "$libraries" --output "$reports" "$@" ;;
esac
exit $failed
RUN
chmod 755 "$out/run"
size=$(wc -c <"$out/gpuxml.tar.gz")
echo "$out: $((size >> 20)) MiB"
[ "$size" -le "$limit" ] || { echo "carry.sh: more than $((limit >> 20)) MiB" >&2; exit 1; }
