#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the build left: the programs run, httpd accepts the module, and nothing of CUDA comes into httpd with it.
cd "$(dirname "$0")/.." || exit 1
n=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/#   /' "$out" | head -5; fi; }
out=$(mktemp)
trap 'rm -f "$out" "$out.conf"' EXIT

build/gpuxslt --version >"$out" 2>&1; ok $? "gpuxslt runs"
for f in LICENSE NOTICE README.md; do test -s $f; ok $? "$f is there"; done
git ls-files '*.[ch]' '*.cu' '*.cc' '*.cpp' '*.java' '*.js' '*.py' '*.t' Makefile tools | while read -r f; do
    head -2 "$f" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$f"
done >"$out" 2>/dev/null; ! test -s "$out"; ok $? "every source names its licence in its first two lines"
for machine in -U__SIZEOF_POINTER__ -U__BYTE_ORDER__; do
    gcc $machine -fsyntax-only -x c engine/base.h >"$out" 2>&1
    grep -q 'error.*a machine of 64 bits, little-endian' "$out"; ok $? "other machines are refused with a sentence: $machine"
done
for way in 'env CC=theirs CFLAGS=-O1 CPPFLAGS=-Dtheirs LDFLAGS=-Wl,-z,now make' 'make CC=theirs CFLAGS=-O1 CPPFLAGS=-Dtheirs LDFLAGS=-Wl,-z,now'; do
    env -u MAKEFLAGS $way -n B=build/none NVCC= build/none/mod_gpuxml.so >"$out" 2>&1
    grep -q -e '^theirs .*-DGPUXML_LIBEXEC.*-Dtheirs.*-O1.*-std.*mod_gpuxml\.c' "$out" && grep -q -e '^theirs -shared .*-Wl,-z,now' "$out"
    ok $? "a packager's compiler is taken, the flags join ours: ${way%% *}"
done
for without in CC=none 'CC=gcc -nostdinc'; do
    ! env -u MAKEFLAGS make B="$out.d" NVCC= "$without" all >"$out" 2>&1 && grep -q 'make deps installs it' "$out" && ! grep -q ' -c -o' "$out"
    ok $? "make says what to do where something is missing: $without"
done
rm -r "$out.d"
mkdir "$out.d" && printf '#!/bin/sh\n' >"$out.d/nvcc" && chmod +x "$out.d/nvcc" && echo "gcc  $out.d/nvcc /usr/local/lib/gpuxml" >"$out.d/flags"
env -u MAKEFLAGS PATH=/usr/sbin:/usr/bin:/sbin:/bin make -n B="$out.d" all >"$out" 2>&1
PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v nvcc >/dev/null || grep -q "$out.d/nvcc .*kernels/block" "$out"; ok $? "make install keeps the nvcc of the build, also when sudo has another PATH"
rm -r "$out.d"
to="$out.d/a b"
(umask 077; env -u MAKEFLAGS make -o all install DESTDIR="$to" PREFIX=/opt) >"$out" 2>&1
test -x "$to/opt/bin/gpuxslt" && test -x "$to/opt/lib/gpuxml/gpuxml-worker" && test -z "$(find "$to"/* ! -perm -004)"
ok $? "make install: everybody may read it, whatever root's umask is; the folder may have a blank in its name"
env -u MAKEFLAGS make -o all uninstall DESTDIR="$to" PREFIX=/opt >"$out" 2>&1; find "$to" ! -type d -o -name gpuxml >>"$out"
! grep -q "^$out.d" "$out"; ok $? "make uninstall takes it away again"
rm -rf "$out.d"
near=build/installed-here        # a folder of our own, named from here, as debian/rules does
rm -rf $near; env -u MAKEFLAGS make -o all install DESTDIR=$near PREFIX=/usr >"$out" 2>&1 && test -s $near/usr/share/gpuxml/conf/feeds.conf
ok $? "make install: DESTDIR may be relative"; rm -rf $near
grep -q "^mod-gpuxml ($(build/gpuxslt --version 2>&1 | grep -o '[0-9][0-9.]*[0-9]' | head -1))" debian/changelog; ok $? "the Debian package has the program's version"
for p in $(sed -n 's/^Build-Depends: //p' debian/control | sed 's/([^)]*)//g; s/,//g'); do
    grep -q "^need=.* $p[ \"]" tools/deps || case $p in debhelper-compat) ;; *) false ;; esac || echo "$p"
done >"$out"
test ! -s "$out"; ok $? "and is built with what tools/deps installs"
grep -q "^Depends:.* apache2-bin (>= $(sed -n 's/.*and httpd \([0-9.]*\) or newer.*/\1/p' README.md))" debian/control; ok $? "and wants the httpd that README.md names"
# hardening, of what make and make install leave; a worker with kernels is linked by nvcc
for f in build/gpuxslt build/gpuxml-worker build/mod_gpuxml.so; do
    [ -f $f ] || continue
    { readelf -lW $f | grep -c GNU_RELRO; readelf -dW $f | grep -cw NOW; readelf -hW $f | grep -c 'Type: *DYN'; readelf -lW $f | grep -c 'GNU_STACK.* RW '
      readelf -W --dyn-syms $f | grep -c '__stack_chk_fail'; readelf -W --dyn-syms $f | grep -c '__[a-z]*_chk@'; } >"$out" 2>&1
    ! grep -qx 0 "$out" && [ "$(wc -l <"$out")" = 6 ]
    ok $? "$f: relro, bound at once, position independent, no code on the stack, stack protector, FORTIFY"
    if [ "$(uname -m)" = x86_64 ]; then objdump -d --no-show-raw-insn $f | grep -q endbr64; ok $? "$f: where calls may lead (CET)"; fi
done
mkdir "$out.d" && printf '#!/bin/sh\n' >"$out.d/nvcc"
for way in '' 'LDFLAGS=-Wl,-z,defs'; do
    env -u MAKEFLAGS make -n B="$out.d" NVCC="$out.d/nvcc" $way "$out.d/gpuxml-worker" >"$out" 2>&1
    grep "nvcc .*-c -o .*kernels/block.o" "$out" | grep -e '-Xcompiler -fstack-protector-strong' | grep -q -e '-Xcompiler -D_FORTIFY_SOURCE=2' &&
        grep "nvcc .* -o $out.d/gpuxml-worker" "$out" | grep -e '-Xcompiler -pie' | grep -q -e "-Xlinker -z,relro,-z,now.*${way:+-Xlinker -z,defs}"
    ok $? "the worker with kernels: the same by nvcc${way:+, with a packager's $way}"
done
rm -r "$out.d"
if [ -f build/mod_gpuxml.so ]; then
    ldd -r build/mod_gpuxml.so >"$out" 2>&1
    ! grep -q 'libcuda\|libcudart\|libstdc' "$out"; ok $? "the module does not need CUDA"
    # every undefined symbol is httpd's or APR's
    ! grep 'undefined symbol' "$out" | grep -qv 'undefined symbol: \(ap_\|apr_\|unixd_\|ap[a-z_]*_module\|core_module\)'; ok $? "the module is complete"
    nm -D --defined-only build/mod_gpuxml.so >"$out"
    test "$(awk '$2 ~ /[TDBR]/ { print $3 }' "$out")" = gpuxml_module; ok $? "the module shows nothing but gpuxml_module"
    httpd=$(PATH=$PATH:/usr/sbin command -v apache2 || PATH=$PATH:/usr/sbin command -v httpd)
    modules=$(apxs -q LIBEXECDIR)
    printf 'ServerName x\nListen 127.0.0.1:1\nErrorLog /dev/null\nPidFile %s.pid\nLoadModule mpm_event_module %s/mod_mpm_event.so\nLoadModule authz_core_module %s/mod_authz_core.so\nLoadModule gpuxml_module %s/build/mod_gpuxml.so\n' \
        "$out" "$modules" "$modules" "$PWD" >"$out.conf"
    "$httpd" -t -f "$out.conf" >"$out" 2>&1; ok $? "httpd -t accepts the module"
else
    echo "# build/mod_gpuxml.so is not there"
fi
echo "1..$n"
