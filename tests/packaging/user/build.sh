#!/bin/sh
# Builds and runs the program of this folder with find_package(frugal), then with pkg-config.
#   build.sh FOLDER [PREFIX that frugal lies in, /usr without]
set -e
here=$(cd "$(dirname "$0")" && pwd); prefix=${2:-/usr}
mkdir "$1" && cd "$1"
cmake -S "$here" -B cmake -DCMAKE_PREFIX_PATH="$prefix" > log 2>&1 && cmake --build cmake >> log 2>&1 || { cat log; exit 1; }
cmake/user
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name frugal.pc)"); export PKG_CONFIG_PATH
for how in '' --static; do  # the libraries are static either way
  # shellcheck disable=SC2046,SC2086
  c++ -std=c++20 "$here/main.cpp" $(pkg-config --cflags --libs $how frugal) -o user
  ./user
done
