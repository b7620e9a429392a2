#!/bin/sh
# gpu.sh must not rot until there is a GPU: packs a build with the plug-in whose kernels run on the CPU, looks at the machine,
# compares both devices and times each operation. tests/packaging/gpu_first_test.sh runs all parts where nothing else is.
#   gpu_test.sh BUILD
set -eu
build=$1; here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
"$here/first_run_test.py" 2> "$scratch/log" || { cat "$scratch/log"; exit 1; }
export PLUGIN="$build/host_cuda/libfrugal_cuda.so" XZ=-0 SMALL=1 WORK="$scratch/work" OUT="$scratch/out"
"$here/gpu.sh" pack "$build" "$scratch/pack" > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
PATH="$here/fake_tools:$PATH" "$here/gpu.sh" first "$scratch/pack.tar.xz" facts agree floors
failed=0
expect() { grep -Eq "$1" "$scratch/out/table.txt" || { echo "no row: $1"; failed=1; }; }
expect '^missing libraries +none'
expect '^card +Test card'
expect '^plug-in +usable True'
expect '^floors +[0-9]+ rows'
for name in robe 'robe test' tgn gnn sparse; do expect "^agree $name +same: "; done
if grep -E 'FAILED|DIFFERS' "$scratch/out/table.txt"; then failed=1; fi
exit $failed
