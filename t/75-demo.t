#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demo starts, every page comes out whole, the same in every way, every link works; from a folder with a blank in its name.
# Killed, or with its httpd killed, it leaves no process and no copy of the site behind; two in one directory do not disturb each other.
cd "$(dirname "$0")/.." || exit 1
[ -f build/mod_gpuxml.so ] || { echo "1..0 # SKIP build/mod_gpuxml.so is not there"; exit; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
copy="$folder/a copy" run="$folder/a copy/build/demo"
mkdir -p "$copy/build" "$folder/tmp" && cp -R tools htdocs docs conf *.md "$copy" && cp build/mod_gpuxml.so build/gpuxslt "$copy/build" || exit 1
"$copy/tools/demo" --check >"$folder/check"; failed=$?
grep -v '^1\.\.' "$folder/check"; n=$(grep -c '^\(not \)\?ok' "$folder/check")

ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/#   /' "$folder/said" | tail -n 8; failed=1; fi; }
soon() { for i in $(seq 100); do "$@" && return; sleep 0.1; done; false; }
up() { grep -q '^Open' "$folder/said"; }
gone() { ! kill -0 "-$httpd" 2>/dev/null && [ -z "$(ls "$folder/tmp")" ]; }        # httpd's group; the copy
"$copy/tools/demo" --port 1x 2>&1 | grep -q "invalid int value" && ! "$copy/tools/demo" --address 192.0.2.1 >"$folder/said" 2>&1 && grep -q "^demo: cannot listen at 192.0.2.1, port " "$folder/said"
ok $? "options that it cannot follow"
chmod 711 "$folder"                     # root's demo: httpd's user cannot look, so it gets a copy
for who in demo httpd; do
    TMPDIR="$folder/tmp" "$copy/tools/demo" >"$folder/said" 2>&1 & demo=$!
    soon up; ok $? "it starts"; httpd=$(cat "$run/httpd.pid")
    port=$(sed -n 's/^Open.*:\([0-9]*\).*/\1/p' "$folder/said")
    [ $who = demo ] && { mkdir "$folder/other" && cp -R "$copy/." "$folder/other" && rm -rf "$folder/other/build/demo" &&
        ! timeout 20 "$folder/other/tools/demo" --port "$port" >"$folder/second" 2>&1 && grep -q "^demo: cannot listen at 127.0.0.1, port $port: " "$folder/second"; ok $? "a port that is taken"
        "$folder/other/tools/demo" --check >"$folder/second"; ok $? "... while one that asked for none finds another"; }
    [ $who = demo ] && { "$copy/tools/demo" 2>&1 | grep -q '^demo: another demo runs' && curl -fsS "$(grep -o 'http:[^ ]*' "$folder/said")"; } >"$folder/second" &&
        ok $? "a second one says that it runs, and leaves it alone"
    [ "$(id -u)" != 0 ] || [ -n "$(ls "$folder/tmp")" ]; ok $? "root's serves a copy"
    case $who in demo) kill -KILL $demo ;; httpd) kill -KILL "$httpd" ;; esac
    soon gone; ok $? "$who is killed: nothing stays"
    wait $demo 2>/dev/null
done
echo "1..$n"
exit $failed
