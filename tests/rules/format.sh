#!/bin/sh
# Every C++ file is as clang-format-14 writes it with our .clang-format.
#   format.sh SOURCE_DIR     0: it is; 1: the places where not; 77: clang-format-14 is not there
command -v clang-format-14 >/dev/null || { echo 'needs clang-format-14'; exit 77; }
cd "$1" || exit 2
places=$(find libcore tools tests \( -name '*.cpp' -o -name '*.h' -o -name '*.inl' \) -print | LC_ALL=C sort |
  xargs -n 64 -P "$(nproc)" clang-format-14 --style=file --dry-run -Werror 2>&1 | sed -n 's/: error: code should be.*//p')
[ -z "$places" ] || { echo "$places" | LC_ALL=C sort; echo 'clang-format-14 -i FILE writes it as we do'; exit 1; }
