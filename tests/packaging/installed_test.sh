#!/bin/sh
# The packages of a build, installed by apt-get in a Debian 12 that has nothing else: each tool gives a result on real data,
# two ranks train, the plug-in for CUDA is found, and frugal-dev brings what a program of libcore's users needs.
#   installed_test.sh BUILD_DIR SOURCE_DIR
. "$(dirname "$0")/roots.sh"
(cd "$1" && cpack -G DEB -B "$scratch/packages" > "$scratch/log" 2>&1) || { cat "$scratch/log"; exit 1; }
new_root user
home=$scratch/user/root
cp -r "$scratch"/packages/*.deb "$2/tests/packaging/six_tools.sh" "$2/tests/packaging/user" "$2/examples/data" "$home"
# Which files of the repository changed together: the first of each commit with its others, at the commit's time.
git -C "$2" log --no-merges --name-only --format=@%ct | awk -v OFS='\t' '
  /^@/ { time = substr($0, 2); first = ""; next } !NF { next } first { print first, $0, time; next } { first = $0 }' > "$home/changes.tsv"
install() { in_root user "apt-get -qq -y install --no-install-recommends $* > /dev/null 2> log || { cat log; exit 1; }"; }
in_root user 'apt-get -qq update'

install './frugal_*.deb'
in_root user './six_tools.sh'

if [ -e "$1/plugins/libfrugal_mpi.so" ]; then
  install './frugal-mpi_*.deb openmpi-bin'
  in_root user 'export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    mpirun --oversubscribe -n 2 gnn-sample train nouns.safetensors --fanouts 4,4 --hidden 16 --epochs 1 -o ranks.model --json -q' |
    tee "$scratch/ranks" && grep -q '"ranks": *2' "$scratch/ranks"
fi

if [ -e "$1/plugins/libfrugal_cuda.so" ]; then  # without a GPU: what it needs is said
  install './frugal-cuda_*.deb'
  in_root user 'hw-probe detect | grep "plug-in libfrugal_cuda.so" | tee plugin && grep -q "cannot run here: .*driver" plugin || exit 1
    gnn-sample train nouns.safetensors --device cuda -o cuda.model 2> error && exit 1 || [ $? = 69 ] && grep "it needs driver" error'
fi

install './frugal-dev_*.deb cmake g++ make'
in_root user 'user/build.sh built'
echo 'the packages work where nothing else is'
