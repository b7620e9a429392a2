#!/bin/sh
# What the tools generate for PROGRAM (bash, zsh, fish or man), PROGRAM reads without a complaint. Exit status 77: it is
# not installed.
#   generated_by.sh PROGRAM TOOL...
program=$1; shift
command -v "$program" > /dev/null || { echo "skipped: no $program"; exit 77; }
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
status=0
for tool in "$@"; do
  "$tool" --generate "$program" > "$scratch/text" || status=1
  case $program in
    man) LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$scratch/text" > /dev/null 2> "$scratch/words" ;;
    *) "$program" -n "$scratch/text" > "$scratch/words" 2>&1 ;;
  esac || status=1
  ! grep . "$scratch/words" || { echo "FAILED: $tool"; status=1; }
done
exit $status
