#!/bin/sh
# Sets up, builds and runs all tests.
#   tests/run.sh            gcc release build with every test, then unit tests and readers under ASan and UBSan
#   tests/run.sh --long     also clang 14, TSan, the debug build and the long versions of the tests
#   tests/run.sh --no-asan  release build only (for a quick look while working)
set -eu
cd "$(dirname "$0")/.."
long=; asan=yes
for argument in "$@"; do
  case $argument in
    --long) long=yes ;;
    --no-asan) asan= ;;
    *) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
packages/install.sh ${long:+long}
jobs=$(nproc)
failed=

# build_and_test PRESET [ctest arguments...]
build_and_test() {
  preset=$1; shift
  echo "== $preset"
  cmake --preset "$preset" >"build/$preset.configure.log" 2>&1 || { cat "build/$preset.configure.log"; exit 1; }
  cmake --build --preset "$preset" -- -j "$jobs" >"build/$preset.build.log" 2>&1 || { tail -n 60 "build/$preset.build.log"; exit 1; }
  ctest --preset "$preset" -j "$jobs" "$@" || failed="$failed $preset"
}

mkdir -p build
start=$(date +%s)
build_and_test release
[ -z "$asan" ] || build_and_test asan -LE 'bench|slow'
if [ "$long" ]; then
  FRUGAL_LONG_TESTS=1; export FRUGAL_LONG_TESTS
  build_and_test clang
  build_and_test debug
  build_and_test tsan -L threads
fi
echo "total: $(($(date +%s) - start)) s"
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
