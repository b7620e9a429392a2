#!/bin/sh
# How large the house is: lines, files, options, long files and long functions, beside what they shall be.
#   size.sh SOURCE_DIR [BIN_DIR]   prints the table and what is too long; the tools in BIN_DIR are asked for options
#   size.sh --check SOURCE_DIR     fails if a number has outgrown its limit, and names what is counted there
# A limit is a goal that is reached, or what there was when it was last lowered: limits are lowered, not raised.
set -u
check=
if [ "${1:-}" = --check ]; then check=yes; shift; fi
bin=${2:-}
case $bin in '' | /*) ;; *) bin=$PWD/$bin ;; esac
cd "${1:?size.sh [--check] SOURCE_DIR [BIN_DIR]}" || exit 2

# Devices, many machines and the tables of all tools came to libcore/ after its goal was set: their folders are
# counted apart.
# What is counted, its goal, its limit (-: none) and the command that lists it (sum: adds up).
rows() {
  row 'lines in tools/'              50000 -     sum lines_without_kernels tools
  row 'lines in libcore/'            31000 31500 sum lines_without_plug_ins
  row 'lines in libcore/device/cuda/'    - -     sum lines_without_kernels libcore/device/cuda
  row 'lines in libcore/parallel/'       - -     sum lines_without_kernels libcore/parallel
  row 'lines in libcore/tables/'         - -     sum lines_without_kernels libcore/tables
  row 'files in libcore/ and tools/'   750 -     list sources libcore tools
  row 'distinct option names'          260 -     list options
  row 'files that include CLI11'         8 0     list including_cli11
  row 'files over 400 lines'             0 0     name long_files 400
  row 'functions over 60 lines'          0 0     name long_functions 60
  row 'files under 20 lines'             - -     list short_files 20
}

# Lines are those of .cpp and .h; the bodies of kernels (.inl) are files.
sources() { find "$@" -name '*.cpp' -o -name '*.h' -o -name '*.inl' | LC_ALL=C sort; }
lines() { sources "$@" | xargs awk 'function ends() { if (n) print n, name } FNR == 1 { ends() }
                                    { n = FNR; name = FILENAME } END { ends() }'; }
lines_without_kernels() { lines "$@" | grep -v '\.inl$'; }
lines_without_plug_ins() { lines_without_kernels libcore | grep -v ' libcore/\(device/cuda\|parallel\|tables\)/'; }
long_files() { lines libcore tools | awk -v most="$1" '$1 > most { print $2 ": " $1 " lines" }'; }
short_files() { lines libcore tools | awk -v least="$1" '$1 < least { print $2 }'; }
including_cli11() { sources libcore tools | xargs grep -lE '^ *# *include *[<"]CLI/'; }
# A flag and what switches it off, --x and --no-x, are one option: git's manual writes them --[no-]x.
options() {
  for tool in tools/*/; do "$bin/$(basename "$tool")" --generate fish; done |
    sed -E 's/ -l ([a-z0-9-]+) -l no-\1 / -l \1 /' | grep -o -- ' -l [a-z0-9][a-z0-9-]*' | LC_ALL=C sort -u
}

# Functions are counted from the first line of their declaration to their closing brace, which clang-format puts under
# the first letter of the declaration: no other brace is looked at.
long_functions() {
  sources libcore tools | xargs awk -v most="$1" '
    function indent(text) { match(text, /^ */); return RLENGTH }
    # What the brace at the end of a statement opens: a room for declarations, a function or a list of values.
    function opened(text) {
      if (text ~ /^(inline )?namespace|^extern "C" \{$/) return "room"
      if (text ~ /^(template <.*> )?(class|struct|union) / && text !~ /\)( (const|noexcept|override|final))* \{$/) return "room"
      return text ~ /\(/ && text !~ /^enum |= \{$/ ? "function" : "values"
    }
    FNR == 1 { depth = 0; statement = closing = raw = "" }
    raw != "" {  # the text of R"( ... )"
      if (!index($0, raw)) next
      $0 = substr($0, index($0, raw) + length(raw)); raw = ""
    }
    /^[^\/]*R"[a-z_]*\(/ {
      match($0, /R"[a-z_]*\(/)
      raw = ")" substr($0, RSTART + 2, RLENGTH - 3) "\""
      if (index(substr($0, RSTART), raw)) raw = ""; else $0 = substr($0, 1, RSTART - 1)
    }
    closing != "" {
      if (index($0, closing) != 1) next
      if (kind == "function" && FNR - begin >= most) print FILENAME ":" begin ": " name ": " FNR - begin + 1 " lines"
      closing = statement = ""
      next
    }
    { sub(/ *\/\/.*/, "") }
    /^ *(#.*|(public|private|protected):)?$/ || /\\$/ { next }
    statement == "" && depth && /^ *\}/ && indent($0) == column[depth] { depth--; next }
    statement == "" { begin = FNR; margin = indent($0); statement = substr($0, margin + 1) }
    begin != FNR { sub(/^ */, ""); statement = statement " " $0 }
    /\{$/ {
      kind = opened(statement)
      if (kind == "room") { column[++depth] = margin; statement = ""; next }
      closing = sprintf("%" margin "s}", ""); name = statement
      sub(/ ?\(.*/, "", name); sub(/.*[ *&]/, "", name)
    }
    /[;}]$/ && closing == "" { statement = "" }'
}

status=0
# Numbers alone, or with what is counted where it has a limit that is exceeded or a name to be mended.
row() {
  what=$1; goal=$2; limit=$3; how=$4; shift 4
  [ -z "$check" ] || [ "$limit" != - ] || return 0
  found='?'
  [ "$1" = options ] && [ -z "$bin" ] || found=$("$@")
  case $found in
    '?') number='?' ;;
    *) number=$(echo "$found" | awk -v how="$how" 'NF { n += how == "sum" ? $1 : 1 } END { print n + 0 }') ;;
  esac
  over=
  [ "$limit" = - ] || [ "$number" -le "$limit" ] || over=yes
  [ "$check" ] || printf '%-32s %8s %8s %8s\n' "$what" "$number" "$goal" "$limit"
  if [ "$over" ]; then echo "$what: $number, where $limit are allowed"; status=1; fi
  case $check$how$over in name | nameyes | yesnameyes | yeslistyes) [ "$number" = 0 ] || echo "$found" | sed 's/^/  /' ;; esac
}

[ "$check" ] || printf '%-32s %8s %8s %8s\n' '' now goal limit
rows
[ "$check" ] || exit 0
exit $status
