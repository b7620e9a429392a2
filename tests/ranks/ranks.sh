# Sourced by the tests here, with their arguments: BIN_DIR PLUGIN_DIR. They work in the folder `scratch`.
PATH=$(cd "$1" && pwd):$PATH; FRUGAL_PLUGIN_DIR=$(cd "$2" && pwd); SOURCE_DATE_EPOCH=0; LC_ALL=C
export PATH FRUGAL_PLUGIN_DIR SOURCE_DATE_EPOCH LC_ALL
command -v mpirun > /dev/null || { echo 'no mpirun'; exit 77; }
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT; cd "$scratch" || exit 1
failed=0
wrong() { echo "WRONG: $*"; failed=1; }
# Ranks that wait give their processor to the others.
ranks() { mpirun --allow-run-as-root --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n "$@"; }

# What ranks refuse is tried three at a time: `refused` begins a try, `all_refused` waits for the last ones.
tries=0
refused() {  # STATUS PATTERN N COMMAND...: N ranks end with the status and a line of that pattern
  tries=$((tries + 1))
  (expected=$1 pattern=$2; shift 2; ranks "$@" > "refused.$tries" 2>&1; status=$?
    [ $status = "$expected" ] && grep -q -e "$pattern" "refused.$tries" ||
      echo "expected $expected and '$pattern', got $status and: $(cat "refused.$tries")" >> "$scratch/refused.wrong") &
  [ $((tries % 3)) != 0 ] || wait
}
all_refused() {
  wait
  [ ! -e "$scratch/refused.wrong" ] || wrong "$(cat "$scratch/refused.wrong")"
}

# The test's function `run N` has N ranks go on from the checkpoint c and write out.
interrupt() {  # SIGNAL PATTERN: to the newest of two ranks, once there is a checkpoint newer than the mark
  touch mark; run 2 & job=$!
  while [ ! c -nt mark ] && kill -0 $job 2> /dev/null; do sleep 0.05; done
  pkill -"$1" -n -f "$2"
  wait $job
}
# A signal to one rank stops all at the same step.
stop() {  # PATTERN
  interrupt TERM "$1"; status=$?
  [ $status = 75 ] && [ "$(grep -c ': stopped ' out)" = 1 ] || wrong "TERM to one rank: $status, $(cat out)"
}
# Then a killed rank ends the others; N ranks go on.
stop_kill_resume() {  # PATTERN N
  stop "$1"
  began=$(date +%s); interrupt KILL "$1"; status=$?
  [ $status != 0 ] && [ $(($(date +%s) - began)) -lt 20 ] || wrong "a killed rank: $status, $(cat out)"
  # mpirun may end before a rank that it has told to: that one still holds the checkpoint's lock.
  for _ in $(seq 100); do pgrep -f "$1" > /dev/null || break; sleep 0.1; done
  run "$2" || wrong "$2 ranks do not go on: $(cat out)"
}
