#!/bin/sh
# Runs every case cases/FOLDER/*.sh in an empty scratch folder and compares what it prints (stdout and
# stderr together, but for the lines of progress that appear every ten seconds) and its exit status with the
# .out file beside it. With UPDATE=1 it writes the .out files.
# Where EMULATED has seconds, an emulator runs the programs: a case has so long, and some say "# Not emulated: REASON".
#   run.sh BIN_DIR FOLDER [CASE]
here=$(cd "$(dirname "$0")" && pwd)
PATH=$(cd "$1" && pwd):$PATH; cases=$here/cases/$2; golden=$here/../golden
SOURCE_DIR=$(cd "$here/../.." && pwd)
# The sets of instructions that this machine has, the plainest, which all of its kind have, first.
simd_levels=$(hw-probe detect --json | python3 -c 'import json, sys
print(*[isa["simd"] for isa in json.load(sys.stdin)["isa"].values() if isa["usable"]])')
plainest_simd=${simd_levels%% *}
export PATH SOURCE_DIR golden simd_levels plainest_simd
unset FRUGAL_SIMD FRUGAL_THREADS OMP_NUM_THREADS; SOURCE_DATE_EPOCH=0; LC_ALL=C; COLUMNS=80; export SOURCE_DATE_EPOCH LC_ALL COLUMNS
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
passed=0; failed=0
for case in "$cases"/${3:-*}.sh; do
  ! grep -q '^# Not emulated: ' "$case" || [ -z "${EMULATED-}" ] || continue
  rm -rf "$scratch/work"; mkdir "$scratch/work"
  { (cd "$scratch/work" && timeout "${EMULATED:-300}" sh "$case" 2>&1 </dev/null); echo "exit $?"; } |
    sed "s#$SOURCE_DIR/#SOURCE_DIR/#g; /^[a-z-]*: .*[0-9]% of .*[0-9] [A-Za-z]*\/s/d" > "$scratch/got"
  if [ "$UPDATE" ]; then cp "$scratch/got" "${case%.sh}.out"
  elif diff -u "${case%.sh}.out" "$scratch/got"; then passed=$((passed + 1))
  else failed=$((failed + 1)); echo "FAILED: $case"; fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
