#!/bin/sh
# Makes a folder with Debian 12's headers and libraries of another architecture: what debian12.txt lists for the build, but
# no MPI. Nothing is installed, so that this machine's own libraries stay. Does nothing where the folder is.
#   sysroot.sh ARCHITECTURE FOLDER
set -eu
[ ! -d "$2" ] || exit 0
libraries=$(sed -n '/openmpi/d; s/^\([^ ]*-dev\)$/\1/p' "$(dirname "$0")/debian12.txt" | paste -sd,)
echo "unpacking libraries of $1 into $2" >&2
mkdir -p "$(dirname "$2")"
mmdebstrap --quiet --variant=extract --architectures="$1" --include="libgomp1,$libraries" bookworm "$2.new"
for folder in dev etc tmp var; do rm -r "${2:?}.new/$folder"; done  # which qemu would take for this machine's
mv "$2.new" "$2"
