#!/bin/sh
# The page of the tool in man/ is what the tool generates, the build has a page of each command and no other, and the JSON schema is
# JSON.
#   man_page.sh TOOL SOURCE_DIR PAGES
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
set -e
name=$(basename "$1")
"$2/cmake/man_pages.sh" "$1" "$scratch/generated"
diff -u "$2/man/$name.1" "$scratch/generated/$name.1" || { echo "renew it: cmake --build BUILD --target man"; exit 1; }
mkdir "$scratch/built"
cp "$3/$name.1" "$3/$name"-*.1 "$scratch/built"
diff -ru "$scratch/built" "$scratch/generated"
"$1" --generate json-schema | python3 -m json.tool > /dev/null
