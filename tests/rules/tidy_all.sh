#!/bin/sh
# clang-tidy-14 finds nothing by .clang-tidy. What it reads is what BUILD_DIR compiles: with FRUGAL_UNITY groups of files,
# which takes a tenth of the time since headers are read once.
#   tidy.sh --all [BUILD_DIR]         everything, and the analyzer follows paths through functions: takes hours
#   tidy.sh --checks [BUILD_DIR]      everything, but no paths: half an hour on two cores
#   tidy.sh --since REV [BUILD_DIR]   no paths, the four groups with most files that changed since REV
# 0: nothing; 1: what was found; 77: clang-tidy-14, the build or the history is not there
set -u
mode=${1:-}; revision=
case $mode in --all | --checks) shift ;; --since) revision=${2:?}; shift 2 ;; *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac
cd "$(dirname "$0")/../.." || exit 2
build=${1:-build/release}
most=99
command -v clang-tidy-14 >/dev/null || { echo 'needs clang-tidy-14'; exit 77; }
[ -f "$build/compile_commands.json" ] || { echo "needs $build/compile_commands.json"; exit 77; }
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT

# Sources as "UNIT SOURCE", a unit being a file or a group of files that is compiled at once. Kernels are left out: those
# of CPUs have types of vectors, those of devices another compiler, which the checks do not know.
sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | grep -v /kernels/bodies/ | LC_ALL=C sort -u |
  while read -r unit; do
    case $unit in
      */Unity/unity_*) sed -n 's/^#include "\(.*\)"$/\1/p' "$unit" ;;
      *) echo "$unit" ;;
    esac | grep -v /device/cuda/ | sed "s#^$PWD/##; s#^#$unit #"
  done > "$scratch/sources"

# The sources to read for each changed file: a header's own one, or else the first that includes it.
changed() {
  git diff --name-only --diff-filter=d "$1" -- libcore tools tests | while read -r file; do
    case $file in
      *.cpp) echo "$file" ;;
      *.h)
        if [ -f "${file%.h}.cpp" ]; then echo "${file%.h}.cpp"; else
          grep -rl --include='*.cpp' "#include \"$file\"" libcore tools tests | LC_ALL=C sort | head -n 1
        fi ;;
    esac
  done | LC_ALL=C sort -u
}

if [ "$mode" != --since ]; then
  cut -d' ' -f1 "$scratch/sources" | LC_ALL=C sort -u > "$scratch/units"
else
  git rev-parse -q --verify "$revision^{commit}" >/dev/null 2>&1 || { echo "needs the history since $revision"; exit 77; }
  changed "$revision" > "$scratch/changed"
  awk 'NR == FNR { changed[$1]; next } $2 in changed { count[$1]++ } END { for (unit in count) print count[unit], unit }' \
    "$scratch/changed" "$scratch/sources" | LC_ALL=C sort -k1,1nr -k2 > "$scratch/ranked"
  head -n $most "$scratch/ranked" | cut -d' ' -f2 > "$scratch/units"
  echo "$(wc -l < "$scratch/changed") changed sources in $(wc -l < "$scratch/ranked") groups, of which are read:"
  sed "s#^$PWD/#  #; s#$build/##" "$scratch/units"
fi

# Tests may use a namespace, compare bytes of numbers, copy what is small and call a constant n as the formula does. Macros
# make their cases look complex.
in_tests='-google-*,-performance-*,-bugprone-suspicious-memory-comparison,-bugprone-string-constructor'
in_tests="$in_tests,-readability-identifier-naming,-readability-function-size,-misc-definitions-in-headers,-bugprone-reserved-identifier"
in_tests="$in_tests,-readability-function-cognitive-complexity,-cppcoreguidelines-pro-type-member-init"
tidy() {  # UNIT: what is found in it
  checks=-bugprone-suspicious-include  # a group includes its files
  case $1 in */tests/*) checks="$checks,$in_tests" ;; esac
  set -- "$1" --extra-arg=-Wno-unknown-warning-option
  # The functions of a group are all in files that it includes.
  if [ "$mode" = --all ]; then set -- "$@" --extra-arg=-Xclang --extra-arg=-analyzer-opt-analyze-headers; fi
  clang-tidy-14 -p "$build" --quiet --checks="$checks" "$@" 2>/dev/null || echo "clang-tidy-14: $1" >> "$scratch/failed"
}
tidy_some() {  # FIRST STEP: each STEP-th unit
  sed -n "$1~$2p" "$scratch/units" | while read -r unit; do tidy "$unit"; done > "$scratch/found.$1"
}
jobs=$(nproc)
for job in $(seq "$jobs"); do tidy_some "$job" "$jobs" & done
wait
sed "s#^$PWD/##" "$scratch"/found.* | LC_ALL=C awk '/: (error|warning): / { shown = !($0 in seen); seen[$0] } shown'
[ ! -s "$scratch/failed" ] || exit 1
