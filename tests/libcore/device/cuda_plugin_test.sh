#!/bin/sh
# The plug-in that nvcc made exports one symbol, loads on a machine without CUDA, and says in one line why it cannot run
# there, or that it can.
#   cuda_plugin_test.sh PLUGIN HW_PROBE
set -eu
symbols=$(nm -D --defined-only "$1" | awk '{ print $3 }')
[ "$symbols" = frugal_plugin_entry ] || { echo "exports: $symbols"; exit 1; }
if ldd "$1" | grep -iE 'cuda|nvidia|not found'; then echo "needs these libraries"; exit 1; fi
said=$(FRUGAL_PLUGIN_DIR=$(dirname "$1") "$2" --version --json 2>&1)
echo "$said" | python3 -c '
import json, sys
cuda = json.load(sys.stdin)["devices"]["cuda"]
print(cuda)
assert cuda["toolkit"].startswith("CUDA 1") and cuda["needs"].startswith("driver "), cuda
assert "robe.train" in cuda["engines"], cuda
assert cuda["usable"] or cuda["reason"].startswith("cannot run here: "), cuda
assert "\n" not in cuda["reason"], cuda
'
