#!/bin/sh
# The demo starts, every page comes out whole, the same in every way, every link works; from a folder with a blank in its name.
cd "$(dirname "$0")/.." || exit 1
[ -f build/mod_gpuxml.so ] || { echo "1..0 # SKIP build/mod_gpuxml.so is not there"; exit; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/a copy/build" && cp -R tools htdocs "$folder/a copy" && cp build/mod_gpuxml.so build/gpuxslt "$folder/a copy/build" || exit 1
"$folder/a copy/tools/demo" --check
