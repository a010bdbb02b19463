#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The scanner's walk for aarch64 beside the plain one, on random documents, in an emulator: t/aarch64/scan_sets.c. Only the
# document's parser is compiled; what it calls of Expat and APR, for which there is no library here, are stand-ins.
cd "$(dirname "$0")/.." || exit 1
cc=aarch64-linux-gnu-gcc
for program in $cc qemu-aarch64; do
    command -v $program >/dev/null || { echo "1..0 # SKIP no $program (Debian: gcc-aarch64-linux-gnu, qemu-user)"; exit 0; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/include"
cp /usr/include/expat.h /usr/include/expat_external.h "$dir/include/" && cp -r /usr/include/apr-1.0/. "$dir/include/" \
    || { echo "1..0 # SKIP no headers of Expat and APR"; exit 0; }
echo 1..3
flags="-O2 -Wall -Wextra -Werror -std=gnu11 -D_GNU_SOURCE -D_REENTRANT -DLINUX -DGX_SCAN_WINDOW=512u -I. -Iengine -isystem $dir/include"
n=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; head -c 2000 "$dir/log" | sed 's/^/#   /'; fi; }

for f in t/aarch64/scan_sets.c engine/error.c $(for name in fail columns references events scan scan_head scan_kept scan_names scan_plain scan_neon \
    scan_choose declarations expat_read parser parts block parse names dtd encoding diagnose doc entities edition; do echo engine/document/$name.c; done); do
    $cc $flags -c -o "$dir/$(basename "$f" .c).o" "$f" || exit 1
done >"$dir/log" 2>&1; ok $? "the document's parser compiles for aarch64 without a warning"

$cc -static -pthread "$dir"/*.o -o "$dir/sets" 2>&1 | sed -n "s/.*undefined reference to [\`']\([A-Za-z0-9_]*\)'.*/\1/p" | sort -u \
    | sed 's/.*/void *&(void); void *&(void) { static long some; return \&some; }/' >"$dir/stand_ins.c"
$cc -c -o "$dir/stand_ins.o" "$dir/stand_ins.c" >"$dir/log" 2>&1 && $cc -static -pthread "$dir"/*.o -o "$dir/sets" >>"$dir/log" 2>&1
ok $? "and is linked"
timeout 200 qemu-aarch64 "$dir/sets" 3000 "$(date +%s)" >"$dir/log" 2>&1; ok $? "3000 documents: the same block, or both refuse: $(head -1 "$dir/log" | cut -c1-80)"
