#!/bin/sh
# Builds and packs twice, in folders of other names and depths, at other times, with other rights for new files and without a
# compiler's cache. Each installed file and each package has the same bytes both times. Only the umask of cpack is the
# same, which a .deb keeps.
#   reproducible_test.sh SOURCE_DIR [options of cmake...]
set -eu
source=$1; shift
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
SOURCE_DATE_EPOCH=$(git -C "$source" log -1 --format=%ct); export SOURCE_DATE_EPOCH
CCACHE_DISABLE=1; export CCACHE_DISABLE

# build_in FOLDER [options of cmake...]: what is installed and packed, with its hash and rights, to FOLDER.found
build_in() {
  folder=$scratch/$1; shift
  git clone --quiet "$source" "$folder/source"
  cmake -S "$folder/source" -B "$folder/build" -G Ninja -DFRUGAL_TESTS=OFF -DFRUGAL_UNITY=ON "$@" > "$folder.log"
  cmake --build "$folder/build" >> "$folder.log" || { cat "$folder.log"; exit 1; }
  DESTDIR=$folder/root cmake --install "$folder/build" >> "$folder.log"
  (umask 022 && cd "$folder/build" && cpack -B "$folder/packages" >> "$folder.log" 2>&1) || { cat "$folder.log"; exit 1; }
  rm -r "$folder/packages/_CPack_Packages"
  (cd "$folder" && find root packages -type f -printf '%m %p ' -exec sh -c 'sha256sum < "$1"' sh {} \; | sort -k 2) > "$folder.found"
}
build_in first "$@"
(umask 077; build_in a/second/place "$@")
diff "$scratch/first.found" "$scratch/a/second/place.found" || { echo 'two builds differ'; exit 1; }
echo "two builds are equal: $(grep -c ' root/' "$scratch/first.found") installed files, $(grep -c ' packages/' "$scratch/first.found") packages"
