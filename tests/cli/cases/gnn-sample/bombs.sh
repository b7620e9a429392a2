# A small file costs little, whatever it claims: one long line, comments without end, ids without nodes.
# Not emulated: its limits of memory would be the emulator's.
i() { (grep -q __asan_init "$(command -v gnn-sample)" || ulimit -v 1000000; gnn-sample import "$@" -o g -q --threads 1); echo "exit $?"; }
{ echo '0,1'; head -c 90000000 /dev/zero | tr '\0' x; } | gzip -1 > second.csv.gz
head -c 90000000 /dev/zero | tr '\0' x | gzip -1 > first.csv.gz
yes '# no edge, but a comment of some length that says nothing at all' | head -n 1200000 | gzip -1 > comments.csv.gz
for file in first second comments; do i $file.csv.gz; gzip -dc $file.csv.gz | i -; done
printf '0,999999999\n' > ids.csv; i ids.csv; i ids.csv --ids any
ls
