#!/bin/sh
# The targets of examples/pipelines that need PyTorch; skipped (77) without it.
#   pipelines_pytorch.sh BIN_DIR SOURCE_DIR
set -eu
. "$(dirname "$0")/needs.sh"
needs torch safetensors.torch zstandard
log=$(mktemp); trap 'rm "$log"' EXIT
"$(dirname "$0")/pipelines.sh" "$1" "$2" loader tables > "$log" || { cat "$log"; exit 1; }
grep -q 'test accuracy 0.9' "$log" && [ "$(grep -c 'AUC 0.6[6-9]' "$log")" = 2 ] || { cat "$log"; exit 1; }
