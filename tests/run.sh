#!/bin/sh
# Sets up, builds and runs all tests.
#   tests/run.sh            gcc release build with every test, then unit tests and readers under ASan and UBSan
#   tests/run.sh --long     also clang 14 on one file at a time, TSan, all of tests/attacks/run.sh (faults, kills, an hour of
#                           soak, fuzzing), a job in a SLURM of one node, ranks of MPICH, packages, README's commands and the
#                           first run on a GPU in roots of Debian 12, two builds with the same bytes: takes hours
#   tests/run.sh --no-asan  release build only (for a quick look while working)
#   tests/run.sh --aarch64  cross-compiles for 64-bit Arm and runs the release tests there by qemu, NEON and SVE, and nothing else
#   tests/run.sh --mutants  how much of wrong code the tests notice (tests/mutants/run.py), and nothing else: takes long
set -eu
cd "$(dirname "$0")/.."
long=; asan=yes; arm=
for argument in "$@"; do
  case $argument in
    --long) long=yes ;;
    --no-asan) asan= ;;
    --aarch64) arm=yes; asan= ;;
    --mutants) packages/install.sh && exec tests/mutants/run.py ;;
    *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
start=$(date +%s)
packages/install.sh ${long:+long} ${arm:+aarch64}
{ packages/python.sh build/python ${long:+long} || echo 'no Python packages: what needs them is skipped' >&2; } & python=$!
jobs=$(nproc)
failed=
unity=-DFRUGAL_UNITY=ON
one_gpu=-DFRUGAL_CUDA_ARCHITECTURES=90-real  # of nvcc, where there is one; --long compiles for all generations
cuda=${long:+-DFRUGAL_CUDA_ARCHITECTURES=}; cuda=${cuda:-$one_gpu}
OMP_WAIT_POLICY=passive; export OMP_WAIT_POLICY  # tests side by side: threads that wait leave the cores to others

# build PRESET TARGET...
build() {
  preset=$1; shift
  echo "== $preset"
  cmake --preset "$preset" $unity "$cuda" >"build/$preset.configure.log" 2>&1 || { cat "build/$preset.configure.log"; exit 1; }
  cmake --build --preset "$preset" --target "$@" -- -j "$jobs" >"build/$preset.build.log" 2>&1 ||
    { tail -n 60 "build/$preset.build.log"; exit 1; }
}

# run_tests PRESET [ctest arguments...]
run_tests() {
  preset=$1; shift
  { ctest --preset "$preset" -j "$jobs" "$@" && touch "build/$preset.passed"; } 2>&1 | tee "build/$preset.tests.log"
  rm "build/$preset.passed" 2>/dev/null || failed="$failed $preset"
  tests/skipped.sh "$preset" < "build/$preset.tests.log" >> build/skipped
}

# may_skip NAME COMMAND...: a test that ends with 77 where what it needs is not there.
may_skip() {
  name=$1; shift
  result=0
  "$@" || result=$?
  case $result in 0) ;; 77) echo "  long: $name" >> build/skipped ;; *) failed="$failed $name" ;; esac
}

# Scripts call programs for Arm as any others: the kernel hands them to qemu (binfmt_misc).
test_arm() {
  packages/sysroot.sh arm64 build/aarch64-root
  [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || update-binfmts --enable qemu-aarch64 ||
    { echo 'this kernel cannot be told to run programs for Arm by qemu: binfmt_misc' >&2; exit 69; }
  build aarch64 all; wait $python; run_tests aarch64 -LE bench
  sed 's/^/  aarch64: /' build/aarch64/not_emulated >> build/skipped
}

mkdir -p build
: > build/skipped
rm -f build/*.passed
if [ "$arm" ]; then test_arm; else build release all; wait $python; run_tests release; fi
if [ -z "$asan" ]; then :
elif [ "$long" ] || [ $(($(date +%s) - start)) -lt 480 ]; then build asan all; run_tests asan -LE 'bench|slow'
else  # a slow machine: what reads files, so that the whole has an end within 25 minutes
  build asan libcore_tests; run_tests asan -L libcore
  echo '  asan: the tools, for the release tests took too long here; --long runs them' >> build/skipped
fi
if [ "$long" ]; then
  nice -n 15 tests/attacks/run.sh soak > build/soak.log 2>&1 & soak=$!  # an hour of what all else leaves
  trap 'kill $soak 2>/dev/null || :' EXIT; trap 'exit 1' INT TERM
  unity=-DFRUGAL_UNITY=tests  # every other file includes what it uses
  # No tests that kill or make calls fail: LLVM's OpenMP leaves empty files in /dev/shm then, and a later program with the same
  # process id ends by SIGBUS.
  build clang all; run_tests clang -R '^unit'
  unity=-DFRUGAL_UNITY=ON
  build tsan thread_tests; run_tests tsan -L threads
  may_skip slurm tests/slurm/requeue_test.sh build/release/bin
  may_skip slurm tests/slurm/advise_test.sh build/release/bin
  may_skip slurm-pipelines tests/slurm/pipelines_test.sh build/release/bin .
  may_skip mpich tests/ranks/mpich.sh build/release/bin
  may_skip installed tests/packaging/installed_test.sh build/release .
  may_skip clean-root tests/packaging/clean_root_test.sh .
  may_skip gpu-first tests/packaging/gpu_first_test.sh build/release .
  may_skip reproducible tests/packaging/reproducible_test.sh . "$one_gpu"
  build fuzz fuzz_all
  for attack in disk-full faults files kills fuzz; do
    echo "== $attack"
    may_skip $attack tests/attacks/run.sh $attack
  done
  echo '== soak'
  may_skip soak wait $soak
  cat build/soak.log
fi
echo "total: $(($(date +%s) - start)) s"
[ ! -s build/skipped ] || { echo "skipped, which is no pass: $(grep -c . build/skipped)"; cat build/skipped; }
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
