#!/bin/sh
# README's two commands in a Debian 12 with nothing but git: the quick start, then the tests. Takes a build and a run of all
# tests, both without a compiler's cache.
#   clean_root_test.sh SOURCE_DIR
. "$(dirname "$0")/roots.sh"
new_root clean ca-certificates,git
git clone --quiet "$1" "$scratch/clean/root/frugal"
in_root clean 'cd frugal && examples/quickstart.sh && test -s report.html'
in_root clean 'cd frugal && tests/run.sh --no-asan'
