#!/bin/sh
# The committed manual page is what the tool generates, and the JSON schema is JSON.
#   man_page.sh TOOL PAGE
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
set -e
"$1" --generate man > "$scratch/page"
diff -u "$2" "$scratch/page" || { echo "regenerate it: cmake --build BUILD --target man"; exit 1; }
"$1" --generate json-schema | python3 -m json.tool > /dev/null
