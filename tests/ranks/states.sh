#!/bin/sh
# Ranks in different states say so and end: checkpoints on disks of their own, other files of the same name, and exchanges
# that do not belong together. Skipped (77) where no mpirun is.
#   states.sh BIN_DIR PLUGIN_DIR
. "$(dirname "$0")/ranks.sh"
export OMP_WAIT_POLICY=passive FRUGAL_RANK_TIMEOUT=5s
gnn-sample generate -o g.graph --nodes 1000 -q
robe-compress generate -o clicks.tsv --shape small --samples 1200 -q
tgn-train generate -o events --events 2000 --nodes 100 -q
on_own_disk() { printf 'cd $OMPI_COMM_WORLD_RANK && exec %s --threads 1 -q -f -o m' "$*"; }  # the folder 0 or 1

# Checkpoints that are there for one rank alone, of another step, or of the same step with a bit of another value: plain
# files of tensors have no checksum.
for tool in gnn-sample robe-compress tgn-train; do
  case $tool in
    gnn-sample) train="gnn-sample train $scratch/g.graph --fanouts 3,3 --hidden 8 --epochs 3 --checkpoint c.safetensors" ;;
    robe-compress) train="robe-compress train $scratch/clicks.tsv --batch-size 100 --accumulate 2 --epochs 3 --checkpoint c.safetensors" ;;
    *) train="tgn-train train $scratch/events --batch-size 100 --epochs 3 --memory-dim 8 --time-dim 4 --time-ranges 2 --checkpoint c.safetensors" ;;
  esac
  mkdir -p $tool/0; (cd $tool/0 && $train --threads 1 --checkpoint-every 0s -q -o m) > out 2>&1 || wrong "$tool: $(cat out)"
  for case in none bit step equal; do
    mkdir -p $tool/$case/0 $tool/$case/1; cp $tool/0/c.safetensors $tool/$case/0
  done
  cd $tool || exit 1
  cp 0/c.safetensors.prev step/1/c.safetensors; cp 0/c.safetensors equal/1
  python3 -c 'data = bytearray(open("0/c.safetensors", "rb").read()); data[-4] ^= 1; open("bit/1/c.safetensors", "wb").write(data)'
  resumed=$(on_own_disk "$train --resume")
  cd none && refused 2 "^$tool: rank 1 has 'no checkpoint', rank 0 'a checkpoint of step .* disk that all machines share" 2 sh -c "$resumed"
  cd ../bit && refused 2 "^$tool: rank 1 has 'a checkpoint of step \([0-9]*\) and hash [0-9]*', rank 0 'a checkpoint of step \1 " 2 sh -c "$resumed"
  cd ../step && refused 2 "^$tool: rank 1 has 'a checkpoint of step .* and hash [0-9]*', rank 0 'a checkpoint of step" 2 sh -c "$resumed"
  cd ../equal && { ranks 2 sh -c "$resumed" > out 2>&1 || wrong "$tool: equal checkpoints are refused: $(cat out)"; }
  cd "$scratch" || exit 1
done
# Models to begin with.
mkdir -p init/0 init/1
cp robe-compress/0/m init/0/first; (cd init/1 && robe-compress train "$scratch/clicks.tsv" --seed 9 --epochs 1 --threads 1 -q -o first)
cd init && refused 2 "^robe-compress: rank 1 has 'an initial model of hash" 2 \
  sh -c "$(on_own_disk robe-compress train "$scratch/clicks.tsv" --epochs 1 --init first)"
cd ..
# Exchanges that cannot end, or have other bytes. A rank that is late is no fault.
export FRUGAL_RANK_TIMEOUT=1s
ranks 3 rank_exchanges late > late 2>&1 &
apart='^rank_exchanges: ranks are in different exchanges: rank'
refused 143 "$apart 0 waits in exchange 1 (16 bytes to and 16 bytes from rank 1), rank 1 waits in exchange 1 (1 bytes from each rank)" \
  2 rank_exchanges pair
refused 143 "$apart 0 waits in exchange 1 (8 bytes to and 0 bytes from rank 1), rank 1 waits in exchange 1 (8 bytes to and 0 bytes from rank 2)" \
  3 rank_exchanges cycle
refused 143 "$apart 0 sent 8 bytes, another rank expects 16" 2 rank_exchanges length
all_refused
[ "$(grep -c 'the sum is 3' late)" = 3 ] || wrong "a late rank: $(cat late)"
exit $failed
