# A checkpoint serves the same run only; TERM is answered with a checkpoint (see also kill_resume.py).
robe-compress generate --shape small --samples 400 -o d.tsv -q
t() { robe-compress train d.tsv -o m -q --dim 4 --bottom 8 --top 8 --batch-size 16 --checkpoint c --checkpoint-every 0s "$@"; echo "exit $?"; }
t; t --resume
for precision in f32 bf16; do t --resume --precision $precision 2>&1 | sed 's/(.*)/(...)/'; done
t --resume --dim 8 2>&1 | sed 's/(.*)/(...)/'
cp d.tsv saved; head -n 1 saved >> d.tsv; t --resume 2>&1 | sed 's/(.*)/(...)/'
cp saved d.tsv; cp m c; t --resume 2>&1
rm -f c c.prev; t --resume 2>&1
