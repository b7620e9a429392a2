#!/bin/sh
# Packs the build as .deb and .tar.gz, unpacks the .deb into an empty root and runs the tools, reads the
# pages and builds a program with find_package(frugal) and with pkg-config from there. Packs a second time
# and compares the bytes.
#   package_test.sh BUILD_DIR TOOL...
set -e
build=$1; shift
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
SOURCE_DATE_EPOCH=1700000000; export SOURCE_DATE_EPOCH
for round in 1 2; do
  (cd "$build" && cpack -G 'DEB;TGZ' -B "$scratch/$round" > "$scratch/log" 2>&1) || { cat "$scratch/log"; exit 1; }
  (cd "$scratch/$round" && sha256sum frugal*.deb frugal*.tar.gz) > "$scratch/sums$round"
done
diff "$scratch/sums1" "$scratch/sums2" || { echo "two packings differ"; exit 1; }

root=$scratch/root
dpkg-deb -x "$scratch"/1/frugal_*.deb "$root"
[ ! -e "$root/usr/lib/frugal" ] || { echo "plug-ins belong into packages of their own"; exit 1; }
for plugin in cuda mpi; do
  [ -e "$build/plugins/libfrugal_$plugin.so" ] || continue
  dpkg-deb -x "$scratch"/1/frugal-"$plugin"_*.deb "$root"
  [ "$(cd "$root" && find usr/lib/frugal -type f)" = "usr/lib/frugal/libfrugal_$plugin.so" ]
  rm -r "$root/usr/lib/frugal"
done
dpkg-deb -f "$scratch"/1/frugal_*.deb Depends | grep -q libc6 || { echo "the package names no libraries"; exit 1; }
PATH=$root/usr/bin:$PATH
for tool in "$@"; do
  [ "$(command -v "$tool")" = "$root/usr/bin/$tool" ]
  "$tool" --version
  for page in "$root/usr/share/man/man1/$tool.1"* "$root/usr/share/man/man1/$tool"-*.1*; do
    gzip -cdf "$page" | grep -q '^.SH NAME'
  done
  bash -n "$root/usr/share/bash-completion/completions/$tool"
  [ -s "$root/usr/share/zsh/site-functions/_$tool" ] && [ -s "$root/usr/share/fish/vendor_completions.d/$tool.fish" ]
done
tar -tzf "$scratch"/1/frugal*.tar.gz | grep -q "bin/$1$"
if LC_ALL=C grep -rlF "$(cd "$build/.." && pwd)" "$root"; then echo "files name the folder of the build"; exit 1; fi

mkdir "$scratch/user" && cd "$scratch/user"
cat > main.cpp <<'END'
#include "libcore/base/text.h"
#include "libcore/io/tensor.h"
int main() { return frugal::parse_bytes("4K") == 4096u ? 0 : 1; }
END
cat > CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(frugal 0.1 REQUIRED)
set(CMAKE_CXX_STANDARD 20)
add_executable(user main.cpp)
target_link_libraries(user PRIVATE frugal::io frugal::base)
END
cmake -S . -B b -DCMAKE_PREFIX_PATH="$root/usr" > log 2>&1 && cmake --build b >> log 2>&1 || { cat log; exit 1; }
b/user
PKG_CONFIG_PATH=$(dirname "$(find "$root" -name frugal.pc)"); export PKG_CONFIG_PATH
# shellcheck disable=SC2046
c++ -std=c++20 main.cpp $(pkg-config --cflags --libs --static frugal) -o user
./user
echo "packages work and are reproducible"
