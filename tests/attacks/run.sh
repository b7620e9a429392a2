#!/bin/sh
# The attacks that take long, one by its name; tests/run.sh --long makes all of them.
#   run.sh disk-full     no command can write all that it must                              half a minute
#   run.sh faults        every call of every command fails once (FRUGAL_FAULT_SECONDS)      a quarter of an hour
#   run.sh files         files that are well formed and wrong                               ten minutes
#   run.sh kills         kill -9 of each trainer, 200 times                                 ten minutes
#   run.sh soak          commands that answer a stream (FRUGAL_SOAK_SECONDS)                an hour
#   run.sh fuzz          libFuzzer on every parser (FRUGAL_FUZZ_RUNS of all, else
#                        FRUGAL_FUZZ_SECONDS of each; what is found is left in build/fuzz)  a minute a parser, two at a time
# Files are read by programs with AddressSanitizer and UndefinedBehaviorSanitizer, where build/asan has them.
set -eu
cd "$(dirname "$0")/../.."
here=tests/attacks
sanitized=build/release/bin; [ ! -x build/asan/bin/tgn-train ] || sanitized=build/asan/bin
case ${1-} in
  disk-full) exec $here/disk_full.py $sanitized ;;
  faults) exec $here/faults.py build/release/bin "${FRUGAL_FAULT_SECONDS:-0}" ;;
  files)
    $here/lies.py $sanitized
    $here/mutate_loads.py $sanitized 20000
    exec $here/mutate.py $sanitized 300 ;;
  kills)
    for tool in sparse-train robe-compress gnn-sample tgn-train; do
      tests/tools/$tool/kill_resume.py build/release/bin/$tool 200
    done ;;
  soak) exec $here/soak.py build/release/bin "${FRUGAL_SOAK_SECONDS:-3600}" ;;
  fuzz)
    mkdir -p build/fuzz/learnt
    exec tests/fuzz/run.py build/fuzz/bin build/fuzz/learnt "${FRUGAL_FUZZ_RUNS:-${FRUGAL_FUZZ_SECONDS:-60}s}" ;;
  *) sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
