#!/bin/sh
# Builds and packs twice, in folders of other names and depths, at other times, with other rights for new files and without a
# compiler's cache. Each installed file and each package has the same bytes both times. Only the umask of cpack is the
# same, which a .deb keeps. nvcc names symbols by the folder that it compiles in: the plug-in for CUDA, where it is built, is
# compiled twice in one folder, and so are the packages with it.
#   reproducible_test.sh SOURCE_DIR [options of cmake...]
set -eu
source=$1; shift
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
SOURCE_DATE_EPOCH=$(git -C "$source" log -1 --format=%ct); export SOURCE_DATE_EPOCH
CCACHE_DISABLE=1; export CCACHE_DISABLE

# build_in FOLDER [options of cmake...]
build_in() {
  folder=$scratch/$1; shift
  [ -d "$folder/source" ] || git clone --quiet "$source" "$folder/source"
  cmake -S "$folder/source" -B "$folder/build" -G Ninja -DFRUGAL_TESTS=OFF -DFRUGAL_UNITY=ON "$@" > "$folder.log" 2>&1
  cmake --build "$folder/build" >> "$folder.log" || { cat "$folder.log"; exit 1; }
  DESTDIR=$folder/root cmake --install "$folder/build" >> "$folder.log"
  (umask 022 && cd "$folder/build" && cpack -B "$folder/packages" >> "$folder.log" 2>&1) || { cat "$folder.log"; exit 1; }
  rm -r "$folder/packages/_CPack_Packages"
}
# found FOLDER: what was installed and packed there, with its hash and rights
found() {
  (cd "$scratch/$1" && find root packages -type f -printf '%m %p ' -exec sh -c 'sha256sum < "$1"' sh {} \; | sort -k 2)
}
without_cuda() { grep -v 'cuda\|\.tar\.gz'; }
differ() { echo "two builds differ"; exit 1; }

build_in first "$@"
found first > "$scratch/first.found"
(umask 077; build_in a/second/place "$@" -DFRUGAL_CUDA=off)
plugin=$(find "$scratch/first/build" -path '*/plugins/*cuda*')
if [ "$plugin" ]; then
  rm -r "$plugin" "$scratch"/first/build/libcore/CMakeFiles/frugal_cuda.dir "$scratch/first/packages"
  build_in first "$@"
  found first | diff "$scratch/first.found" - || differ
  without_cuda < "$scratch/first.found" > "$scratch/compared"
else
  cp "$scratch/first.found" "$scratch/compared"
fi
found a/second/place | { if [ "$plugin" ]; then without_cuda; else cat; fi; } | diff "$scratch/compared" - || differ
echo "two builds are equal: $(grep -c ' root/' "$scratch/first.found") installed files, $(grep -c ' packages/' "$scratch/first.found") packages"
