#!/bin/sh
# Packs the build as .deb and .tar.gz, unpacks the .deb into an empty root and runs the tools, reads the pages and builds a
# program of libcore's users from there. Packs a second time and compares the bytes.
#   package_test.sh BUILD_DIR TOOL...
set -e
build=$1; shift
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
SOURCE_DATE_EPOCH=1700000000; export SOURCE_DATE_EPOCH
umask 077  # which no package shows
for round in 1 2; do
  (cd "$build" && cpack -G 'DEB;TGZ' -B "$scratch/$round" > "$scratch/log" 2>&1) || { cat "$scratch/log"; exit 1; }
  (cd "$scratch/$round" && sha256sum frugal*.deb frugal*.tar.gz) > "$scratch/sums$round"
done
diff "$scratch/sums1" "$scratch/sums2" || { echo "two packings differ"; exit 1; }

if dpkg-deb -c "$scratch"/1/frugal_*.deb | grep '^drwx------'; then echo "folders that only the builder reads"; exit 1; fi
umask 022

root=$scratch/root
dpkg-deb -x "$scratch"/1/frugal_*.deb "$root"
[ ! -e "$root/usr/include" ] || { echo "headers belong into frugal-dev"; exit 1; }
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
dpkg-deb -x "$scratch"/1/frugal-dev_*.deb "$root"
if LC_ALL=C grep -rlF "$(cd "$build/.." && pwd)" "$root"; then echo "files name the folder of the build"; exit 1; fi
"$here/user/build.sh" "$scratch/user" "$root/usr"
echo "packages work and are reproducible"
