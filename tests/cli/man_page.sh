#!/bin/sh
# The committed manual pages are what the tool generates, a page a command and no other, and the JSON schema is JSON.
#   man_page.sh TOOL SOURCE_DIR
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
set -e
name=$(basename "$1")
mkdir "$scratch/generated" "$scratch/committed"
"$2/cmake/man_pages.sh" "$1" "$scratch/generated"
cp "$2/man/$name.1" "$2/man/$name"-*.1 "$scratch/committed"
diff -ru "$scratch/committed" "$scratch/generated" || { echo "regenerate them: cmake --build BUILD --target man"; exit 1; }
"$1" --generate json-schema | python3 -m json.tool > /dev/null
