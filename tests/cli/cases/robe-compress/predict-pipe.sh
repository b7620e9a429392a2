# While a pipe stays open, predict answers every line that is there, and refuses a bad one.
awk 'BEGIN { print "click,user,text"; for (i = 0; i < 300; ++i) print i % 3 % 2 ",u" i % 7 ",\"a\nb" i % 5 "\"" }' > train.csv
robe-compress train train.csv -o m --method full --compression 1 --dim 2 --top 4 --batch-size 16 -q
robe-compress predict m train.csv > expected; wc -l < expected
lines() { # FILE N: waits until the file has that many
  for _ in $(seq 100); do [ "$(wc -l < "$1")" -ge "$2" ] && break; sleep 0.1; done
  wc -l < "$1"
}
mkfifo asks
robe-compress predict m asks > answers 2> errors &
exec 3> asks
head -n 3 train.csv >&3; lines answers 1
tail -n +4 train.csv | head -n 4 >&3; lines answers 3
printf '0,u3,' >&3; lines answers 3; echo '"a' >&3; printf 'b3"\n' >&3; lines answers 4
head -n 4 expected | cmp - answers && echo 'as from the file'
echo '1,u1' >&3; lines errors 1; cat errors
exec 3>&-; wait
# Nothing but missing values is a line, too.
robe-compress generate --shape small --samples 50 -o t.tsv -q
robe-compress train t.tsv -o c --method full --compression 1 --dim 2 --bottom 4 --top 4 --batch-size 16 -q
printf '%38s\n' '' | tr ' ' '\t' | robe-compress predict c | wc -l
# A file is answered while it grows.
robe-compress predict m --header no < asks > answers &
exec 3> asks
tail -n +2 train.csv > grows; tail -c +1 -f grows >&3 & tail=$!
lines answers 300; tail -n 2 train.csv >> grows; lines answers 301
kill $tail; exec 3>&-; wait
head -n 300 answers | cmp - expected && echo 'the same'
