#!/bin/sh
# The first minutes on a machine with an NVIDIA GPU, which may have none of our libraries.
#   gpu.sh pack BUILD FOLDER      packs programs, tests, plug-in and the libraries that they need into FOLDER.tar.xz. BUILD: a
#                                 release build for the one architecture of that GPU (-DFRUGAL_CUDA_ARCHITECTURES=90-real).
#                                 PLUGIN: another plug-in, as the one for tests, BUILD/host_cuda/libfrugal_cuda.so
#   gpu.sh first PACK [PART...]   runs all PARTs, or those named, in the order of their worth within BUDGET seconds; PACK:
#                                 the archive or its folder. first_run.py --help describes parts and environment
set -eu
here=$(cd "$(dirname "$0")" && pwd)
programs='hw-probe robe-compress sparse-train gnn-sample tgn-train tensor-file unit_device unit_robe-compress unit_sparse-train
  unit_gnn-sample unit_tgn-train device_floors bench_generate_xmc'
most=$((45 * 1024 * 1024))  # bytes of the archive: it travels beside the repository

# The libraries that a program needs, without those of glibc, which are the machine's.
libraries() {
  ldd "$@" | awk '$3 ~ /^\// { print $3 }' | LC_ALL=C sort -u |
    grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^/]*)\.so' || :
}

# Starts a program of bin/ with our libraries, which nobody else on the machine is to load: no path is exported for all.
starter() {
  cat << 'EOS'
#!/bin/sh
here=$(cd "$(dirname "$0")/.." && pwd)
LD_LIBRARY_PATH=$here/lib${CUBLASLT_DIR:+:$CUBLASLT_DIR}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
FRUGAL_PLUGIN_DIR=$here/lib FRUGAL_TEST_PLUGINS=$here/lib
export LD_LIBRARY_PATH FRUGAL_PLUGIN_DIR FRUGAL_TEST_PLUGINS
exec "$here/bin/$(basename "$0")" "$@"
EOS
}

pack() {  # BUILD FOLDER
  build=$1; folder=$2
  rm -rf "$folder" "$folder.tar.xz"
  mkdir -p "$folder/bin" "$folder/lib" "$folder/run"
  for name in $programs; do strip -s -o "$folder/bin/$name" "$build/bin/$name"; done
  strip -s -o "$folder/lib/libfrugal_cuda.so" "${PLUGIN:-$build/plugins/libfrugal_cuda.so}"
  libraries "$folder"/bin/* "$folder/lib/libfrugal_cuda.so" | while read -r library; do cp -L "$library" "$folder/lib/"; done
  for name in $programs; do starter > "$folder/run/$name"; chmod +x "$folder/run/$name"; done
  tar -C "$folder" -cf - . | xz -T0 "${XZ:--3}" > "$folder.tar.xz"
  glibc=$(for file in "$folder"/bin/* "$folder"/lib/*; do objdump -T "$file"; done | grep -o 'GLIBC_2\.[0-9]*' | sort -Vu | tail -n 1)
  du -sh --apparent-size "$folder/bin" "$folder/lib" "$folder.tar.xz"
  echo "needs $glibc or later"
  [ "$(stat -c %s "$folder.tar.xz")" -le $most ] ||
    { echo "$folder.tar.xz has more than $((most / 1048576)) MiB: is the plug-in for one architecture alone?" >&2; exit 1; }
}

part=${1:-}; [ $# = 0 ] || shift
case $part in
  pack) pack "${1:?BUILD}" "${2:?FOLDER}" ;;
  first) : "${1:?PACK}"; exec python3 -u "$here/first_run.py" "$@" ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
