# What cannot be read or trained is refused with the place and what was expected.
t() { robe-compress train "$@" -o m -q; echo "exit $?"; }
robe-compress generate --shape small --samples 20 -o d.tsv -q
t missing.tsv
# A line of separators alone is a table of as many columns: no time is lost over them.
commas() { head -c "$1" /dev/zero | tr '\0' ','; printf '\n1,2\n'; }
for n in 50000 70000; do commas $n > commas.csv; t commas.csv; done
: > empty.tsv; t empty.tsv --format criteo
{ head -n 3 d.tsv; sed -n 4p d.tsv | cut -f1-38; } > short.tsv; t short.tsv
printf 'click,a,b\n1,x,y\n0,x\n' > short.csv; t short.csv
printf 'click,a\nmaybe,x\n' > label.csv; t label.csv
printf 'click,a\n1,99999999999999999999\n' > long.csv; t long.csv --ids number
printf 'click,a,n:\n1,x,1.5\n0,y,zwei\n' > number.csv; t number.csv --columns 'n::number'
t d.tsv --method robe --bytes 9
t d.tsv --method qr --bytes 10
t d.tsv --method robe-hot --ids hash
t d.tsv --method robo
t missing.tsv --block 17
t missing.tsv --hash paper --align
t missing.tsv --architecture dcn --cross-layers 65
t d.tsv --resume
t d.tsv --hot-share much --method robe-hot
t d.tsv --stream
ls m 2>&1
# A method of one size says so where another was asked for.
w() { robe-compress train d.tsv -o m --dim 2 --bottom 4 --top 4 --epochs 1 "$@" > /dev/null; echo "exit $?"; }
w --method int8 --compression 100
w --method full --bytes 100
w --method full
w --method full --compression 1
w --method int8 --compression 4
# So do columns of one kind, for the other's options, and labels of one class.
awk 'BEGIN { print "click,x,y"; for (i = 0; i < 60; ++i) print i % 2 "," i % 7 / 10 "," i % 9 / 10 }' > n.csv
sed 's/\([0-9]\),\([^,]*\),/\1,a\2,b/' n.csv > c.csv; sed 's/^0/1/' c.csv > ones.csv
for useless in '--compression 10' '--method hash' '--embedding-rate 0.1' '--storage int8' '--ids number'; do t n.csv $useless; done
t c.csv --bottom 8; robe-compress sweep c.csv --held-out every:3 --bottom 8; echo "exit $?"
t ones.csv; robe-compress train ones.csv -o o --stream --ids hash --dim 2 --top 4 2>&1 | grep warning
robe-compress train c.csv -o c --dim 2 --top 4 --epochs 1 -q; robe-compress train ones.csv --init c -o o --epochs 1 2>&1 | grep warning
robe-compress sweep c.csv --held-out every:3 --compression 1000,2000 --method robe,qr -q; echo "exit $?"
# What would do nothing is said, not ignored.
for useless in '--method hash --block 4' '--method qr --hash paper' '--hot-share 0.5 --method robe' '--method robe --copies 2' '--bytes 1K --compression 4' \
  '--method qr --hash-seed 3' '--method int8 --storage int8' '--validation d.tsv --held-out every:5' '--epochs 2 --patience 1' '--stream --ids hash --cache-dir .' \
  '--ids hash --unknown error' '--init m --compression 9' '--init m --columns a:label' '--init m --top 9' '--init m --storage int8' '--held-out every:21' '--held-out last:0.01' \
  '--architecture dcn --diagonal' '--architecture dlrm --cross-layers 2' '--ids hash --min-count 2' '--ids count --hash-rows 9' '--ids count --max-rows 9'; do
  t d.tsv $useless
done
printf '1 3:1 5:1\n0 4:1 5:1\n' > d.libfm
for useless in '--columns 1:label' '--label-column 1' '--header yes'; do t d.libfm $useless; done
for useless in '--method robe,full --copies 3' '--method full --compression 9' '--method qr,full --hash paper' '--method robe --hot-share 0.5' '--method int8 --storage f32' \
  '--diagonal --architecture dcn' '--validation d.tsv --held-out every:5'; do
  robe-compress sweep d.tsv -q $useless; echo "exit $?"
done
for useless in '--method int8 --compression 9' '--method int4 --hash paper' '--learning-rate 1'; do robe-compress compress t.npz -o a $useless; echo "exit $?"; done
# Conditions without numbers, tables put together by cat, and Excel's first line.
printf 'click,a\n1,x\n0,y\n' > one.csv
for rule in 'click>=x' 'click=>1' 'click>=0,5' 'click>=1 and a=x'; do t one.csv --positive "$rule"; done
cat one.csv one.csv > two.csv; t two.csv; { echo 'sep=,'; cat one.csv; } > excel.csv; t excel.csv
printf 'click,a\n1,x\n0,y\n' > r.csv; t r.csv --positive 'click!=0'
