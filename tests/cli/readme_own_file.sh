#!/bin/sh
# README's section of three commands a tool, on files as a newcomer has them: each learns more than guessing would.
#   readme_own_file.sh BIN_DIR SOURCE_DIR
set -eu
PATH=$(cd "$1" && pwd):$PATH; export PATH
readme=$(cd "$2" && pwd)/README.md
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
awk '/^## Your own file/ { found = 1 } found && /^```$/ { exit } block; found && /^```sh/ { block = 1 }' "$readme" > commands
[ "$(grep -c -- '-sample \|-train \|-compress \|-probe \|-file ' commands)" -ge 18 ] || { echo 'README.md: three commands a tool, found:'; cat commands; exit 1; }

# text FROM TO, clicks FROM TO, events FROM TO: rows of made data that can be learnt.
text() { awk -v from="$1" -v to="$2" 'BEGIN { for (i = from; i < to; ++i) print (i % 2 ? "good" : "bad") ",\"the " (i % 2 ? "best" : "worst") " of " i % 7 ", I think\"" }'; }
clicks() {
  awk -v from="$1" -v to="$2" 'BEGIN { print "click,user,page,age"
    for (i = from; i < to; ++i) { u = i * 7 % 31; p = i * 11 % 13; print (u + p) % 2 ",u" u ",p" p "," 20 + i % 50 } }'
}
events() { awk -v from="$1" -v to="$2" 'BEGIN { for (i = from; i < to; ++i) print "ann" i % 9 ",page" i % 9 "," i * 10 }'; }
text 0 300 > reviews.csv; text 300 400 > held-out.csv; text 400 420 > new.csv
clicks 0 3000 > clicks.csv; clicks 3000 4000 > later-clicks.csv; clicks 4000 4100 > new-clicks.csv
awk 'BEGIN { for (i = 0; i < 300; ++i) print i "," (i + 3) % 300 }' > links.csv
awk 'BEGIN { for (i = 0; i < 300; ++i) print i % 3, i % 3 + 1 ":1", 4 + i % 5 ":1" }' > nodes.libsvm
events 0 300 > events.csv; events 300 320 > new-events.csv

if ! sh -e commands > log 2> errors; then cat log errors; exit 1; fi
# at_least NUMBER NAME COMMAND...: the result that the command prints as JSON
at_least() {
  least=$1 name=$2; shift 2
  "$@" --json > result.json
  python3 -c 'import json, sys; sys.exit(json.load(open("result.json"))[sys.argv[1]] < float(sys.argv[2]))' "$name" "$least" ||
    { echo "$*: $name is below $least"; cat result.json; exit 1; }
}
at_least 0.95 p_at_1 sparse-train eval reviews.model held-out.csv
at_least 0.9 auc robe-compress eval clicks.model later-clicks.csv
at_least 0.95 test_accuracy gnn-sample eval links.model links.safetensors
at_least 0.65 test_average_precision tgn-train eval events.model events.safetensors
[ "$(sparse-train predict reviews.model new.csv | wc -l)" = 20 ]
[ "$(robe-compress predict clicks.model new-clicks.csv | wc -l)" = 100 ]
[ "$(tgn-train predict events.model new-events.csv --history events.safetensors | wc -l)" = 20 ]
tensor-file diff links.safetensors links.tzs
