# What the machine does not give is status 69 with a message, wherever it fails, and never a crash.
# Not emulated: its limits of memory would be the emulator's.
for how in memory threads exit; do demo-tool end $how --threads 7; echo "exit $?"; done
# Memory that is missing from the start on; 127: the system's loader has not enough;
# 1 with its own words: libgomp has not, which starts before the tool does. Sanitizers reserve more than all.
grep -q __asan_init "$(command -v demo-tool)" && exit
for n in 4 6 8 10 12 14 16 18 20 24 28 32 40 60; do
  prlimit --as=$((n << 20)) demo-tool show > out 2> err; status=$?
  case $status in
    0 | 127) ;;
    1) grep -q '^libgomp: Out of memory' err || cat err ;;
    69) grep -q 'out of memory\|memory' err || cat err ;;
    *) echo "$n MiB: $status"; cat err ;;
  esac
done
