#!/bin/sh
# The demo starts, every page comes out whole, the same in every way, every link works.
cd "$(dirname "$0")/.." || exit 1
[ -f build/mod_gpuxml.so ] || { echo "1..0 # SKIP build/mod_gpuxml.so is not there"; exit; }
exec tools/demo --check
