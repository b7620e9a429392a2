#!/bin/sh
# The committed manual page is what the tool generates, and it and the completions are well-formed.
#   man_page.sh TOOL PAGE
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
set -e
"$1" --generate man > "$scratch/page"
diff -u "$2" "$scratch/page" || { echo "regenerate it: cmake --build BUILD --target man"; exit 1; }
for shell in bash zsh fish; do
  "$1" --generate $shell > "$scratch/$shell"
  ! command -v $shell > /dev/null || $shell -n "$scratch/$shell"
done
"$1" --generate json-schema | python3 -m json.tool > /dev/null
command -v man > /dev/null || exit 0
LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$scratch/page" > /dev/null 2> "$scratch/warnings"
! grep . "$scratch/warnings"
