# Lines depend on seed, shape and their number alone, whatever cuts and threads; what they are is said.
robe-compress generate --shape small --samples 3 --seed 1 2> said; cat said
robe-compress generate --samples 9000 -o one.tsv --threads 1
robe-compress generate --samples 9000 -q --threads 2 | cmp - one.tsv && echo same
robe-compress generate --samples 5000 -o begin.tsv -q; robe-compress generate --from 5000 --samples 4000 -o end.tsv -q
cat begin.tsv end.tsv | cmp - one.tsv && echo 'cut anywhere'
robe-compress generate --samples 9000 -o other.tsv -q --seed 7; cmp -s other.tsv one.tsv || echo 'another seed, other lines'
awk -F'\t' 'NF != 40' one.tsv | wc -l
robe-compress generate --samples 100 --shape terabyte --scale 1000 -o t.tsv --json | grep -A3 '"rows"'
robe-compress generate --samples 20000 | head -n 1 | cut -f1 | grep -c '[01]'
for wrong in '--samples 0' '--shape tera' '--scale 0.5' '--click-rate 0' '--exponent 9' '--from 9223372036854775807'; do
  robe-compress generate -o x $wrong; echo "exit $?"
done
robe-compress generate --samples 50000 -o /dev/full; echo "exit $?"
robe-compress generate -o no/where; echo "exit $?"
ls
