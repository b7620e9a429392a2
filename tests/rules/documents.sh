#!/bin/sh
# Paths that the documents name in back quotes or links exist, and every tool has a man page. A page of results has at most 150
# lines. The summary of results has at most 55 and links to every page, and each number of a row is on the row's page.
#   documents.sh SOURCE_DIR [PAGES]     PAGES: the manual pages that the build makes, by default build/release/man
cd "$1" || exit 2
pages=${2:-build/release/man}
status=0
wrong() { echo "$1"; status=1; }
for document in README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md tests/bench/RESULTS.md tests/bench/results/*.md; do
  # Paths in back quotes: those that begin with a folder of this tree; links: all that are not addresses.
  quoted=$(grep -o '`[^` ]*`' "$document" | tr -d '`' | grep -E '^(libcore|tools|tests|examples|configs|man|packages)/' | grep -v '[*<>X{]' | grep -v 'libcore/io/x\.cpp')
  linked=$(grep -o '](\([^)#:]*\))' "$document" | sed 's/^](//; s/)$//')
  for path in $quoted; do
    [ -e "$path" ] || wrong "$document names $path, which does not exist"
  done
  for path in $linked; do
    [ -e "$(dirname "$document")/$path" ] || wrong "$document names $path, which does not exist"
  done
done
for folder in tools/*/; do
  tool=$(basename "$folder")
  [ -f "man/$tool.1" ] || wrong "no man/$tool.1"
  grep -q "$tool" README.md || wrong "README.md does not name $tool"
done
summary=tests/bench/RESULTS.md
[ "$(wc -l < $summary)" -le 55 ] || wrong "$summary: more than 55 lines"
for page in tests/bench/results/*.md; do
  [ "$(wc -l < "$page")" -le 150 ] || wrong "$page: more than 150 lines"
  grep -qF "](results/$(basename "$page"))" $summary || wrong "$summary has no link to $page"
done
astray=$(grep '^|.*](results/' $summary | while IFS= read -r row; do
  page=tests/bench/$(echo "$row" | sed 's/.*](\(results[^)]*\)).*/\1/')
  for number in $(echo "$row" | sed 's/]([^)]*)//g' | grep -oE '[0-9][0-9.,]*[0-9]|[0-9]'); do
    whole="(^|[^0-9.,])$(echo "$number" | sed 's/\./\\./g')[.,]?([^0-9.,]|\$)"  # not a part of a longer number
    grep -qE "$whole" "$page" || echo "$summary says $number, which is not on $page"
  done
done)
[ -z "$astray" ] || wrong "$astray"
for page in "$pages"/*.1 man/*.[57]; do
  [ -e "$page" ] || continue  # not built, or none of that section
  # A page that man cannot format without a complaint is not ready.
  if command -v man >/dev/null; then
    complaint=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$complaint" ] || wrong "$page: $complaint"
  fi
done
exit $status
