#!/bin/sh
# What the documents say exists: every path in back quotes or links, a man page for every tool.
#   documents.sh SOURCE_DIR
cd "$1" || exit 2
status=0
wrong() { echo "$1"; status=1; }
for document in README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md; do
  # Paths in back quotes: those that begin with a folder of this tree; links: all that are not addresses.
  quoted=$(grep -o '`[^` ]*`' "$document" | tr -d '`' | grep -E '^(libcore|tools|tests|examples|configs|man|packages)/' | grep -v '[*<>X{]' | grep -v 'libcore/io/x\.cpp')
  linked=$(grep -o '](\([^)#:]*\))' "$document" | sed 's/^](//; s/)$//')
  for path in $quoted $linked; do
    [ -e "$path" ] || wrong "$document names $path, which does not exist"
  done
done
for folder in tools/*/; do
  tool=$(basename "$folder")
  [ -f "man/$tool.1" ] || wrong "no man/$tool.1"
  grep -q "$tool" README.md || wrong "README.md does not name $tool"
done
for page in man/*.[157]; do
  # A page that man cannot format without a complaint is not ready.
  if command -v man >/dev/null; then
    complaint=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$complaint" ] || wrong "$page: $complaint"
  fi
done
exit $status
