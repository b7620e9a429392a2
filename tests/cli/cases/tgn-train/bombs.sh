# A small file costs little, whatever it claims: one long line, comments without end, ids without nodes.
# Not emulated: its limits of memory would be the emulator's.
i() { (grep -q __asan_init "$(command -v tgn-train)" || ulimit -v 1000000; tgn-train import "$@" -o e -q --threads 1); echo "exit $?"; }
head -c 90000000 /dev/zero | tr '\0' x | gzip -1 > first.csv.gz
yes '# no event, but a comment of some length that says nothing at all' | head -n 1200000 | gzip -1 > comments.csv.gz
for file in first comments; do i $file.csv.gz; gzip -dc $file.csv.gz | i -; done
printf '0,999999999,5\n' > ids.csv; i ids.csv; i ids.csv --ids any
tgn-train generate --scale 20 --features 2 -o g.safetensors -q
tgn-train train g.safetensors -q --memory-dim 8 --time-dim 8 --new-nodes 0 --steps 1 -o m
gzip -dc first.csv.gz | (grep -q __asan_init "$(command -v tgn-train)" || ulimit -v 1000000; tgn-train predict m -q --threads 1); echo "exit $?"
ls
