# Clicks that depend on two categories are found; every method trains, answers alike from files and pipes.
robe-compress generate --shape small --samples 6000 -o all.tsv -q
head -n 5000 all.tsv > train.tsv; tail -n 1000 all.tsv > test.tsv
small='--dim 4 --bottom 16 --top 32 --batch-size 64'
above() { sed -n "s/^ *\"$1\": \([0-9.]*\),*$/\1/p" | awk -v least="$2" '{ print ($1 > least ? "above " : "not above ") least }'; }
for method in robe robe-hot hash multi qr full int8 int4; do
  compression=3; [ $method = full ] && compression=1
  robe-compress train train.tsv -o $method.model --method $method --compression $compression $small -q --json > $method.json || exit 1
  echo "$method: $(robe-compress eval $method.model test.tsv --json | above auc 0.6)"
done
robe-compress eval robe.model test.tsv | cut -d' ' -f1
cut -f2- test.tsv | robe-compress predict robe.model > piped; wc -l < piped
robe-compress predict robe.model test.tsv -o answers.txt && cmp piped answers.txt && echo same
robe-compress predict robe.model test.tsv --logits > logits; head -n 1 logits | grep -c '^-*[0-9.e-]*$'
gzip -c test.tsv | robe-compress eval robe.model - --json | grep '"samples"'
for a in dcn deepfm; do robe-compress train train.tsv -o $a.model --architecture $a $small -q && robe-compress eval $a.model test.tsv --json | above auc 0.6; done
robe-compress train train.tsv -o t1.model $small -q --threads 1; robe-compress train train.tsv -o t2.model $small -q --threads 2
tensor-file diff t1.model t2.model && echo 'any number of threads'
# Times are those of the run: its parts are no longer than the whole, which is no longer than the clock says.
began=$(date +%s.%N)
robe-compress train train.tsv -o timed.model $small --epochs 2 -q --json > trained; robe-compress eval timed.model test.tsv --json > tested
robe-compress predict timed.model test.tsv -o p.txt --json > told
awk -F'[:,]' -v wall="$(echo "$began $(date +%s.%N)" | awk '{ print $2 - $1 }')" '
  /_seconds"|"seconds"|_per_second"|"samples"/ { gsub(/[" ]/, "", $1); v[FILENAME "." $1] = $2 }
  END {
    parts = v["trained.read_seconds"] + v["trained.fit_seconds"] + v["trained.write_seconds"]
    print (parts > 0.5 * v["trained.train_seconds"] && parts <= v["trained.train_seconds"] ? "parts" : "not the parts")
    all = v["trained.train_seconds"] + v["tested.seconds"] + v["told.seconds"]
    print (all > 0.2 * wall && all <= wall ? "whole" : "not the whole: " all " of " wall)
    for (n in v) if (n ~ /_?seconds$/ && n !~ /search/ && v[n] <= 0) print n " is " v[n]
    speed = 2 * v["trained.samples"] / v["trained.fit_seconds"] / v["trained.samples_per_second"]
    print (speed > 0.99 && speed < 1.01 ? "samples a second" : speed)
  }' trained tested told
