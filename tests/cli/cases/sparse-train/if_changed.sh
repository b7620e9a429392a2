# --if-changed leaves a model alone that would be the same but for the time of the run.
printf 'a,one two\nb,two three two\na,one\n' > d.csv
t() { SOURCE_DATE_EPOCH=$1 sparse-train train d.csv -o "$2" --min-count 1 -q --if-changed $3; echo "$2 $(date -u -r "$2" +%Y)"; }
for m in m m.safetensors m.safetensors.zst; do
  t 1 $m | sed 's/20[0-9]*/now/'; touch -d '2001-01-01' $m; t 2 $m; cp $m kept; touch -d '2001-01-01' $m
  t 3 $m '--seed 7' | sed 's/20[2-9][0-9]/now/'; tensor-file diff kept $m >/dev/null; echo "other content: $?"
done
# A damaged file is no equal one, and neither is one with something behind it.
t 1 m >/dev/null; head -c 700 m > cut; cp cut m; touch -d '2001-01-01' m; t 2 m | sed 's/20[2-9][0-9]/now/'
cat m m > twice; cp twice m; touch -d '2001-01-01' m; t 2 m | sed 's/20[2-9][0-9]/now/'
sparse-train export m --int8 -o s -q --if-changed; touch -d '2001-01-01' s
SOURCE_DATE_EPOCH=9 sparse-train export m --int8 -o s -q --if-changed; date -u -r s +%Y
# Texts, converted data and make rules, too.
for i in 1 2; do
  sparse-train predict m d.csv -o p.txt -q --if-changed --depfile p.d; sparse-train convert d.csv -o c.safetensors --min-count 1 -q --if-changed
  [ $i = 1 ] && touch -d '2001-01-01' p.txt p.d c.safetensors
done
for f in p.txt p.d c.safetensors; do date -u -r $f +%Y; done
