#!/bin/sh
# examples/paper-tables in its small form: every table, what is measured beside what is published, labelled by its data.
#   paper_tables.sh BIN_DIR SOURCE_DIR
set -eu
PATH=$(cd "$1" && pwd):$PATH; export PATH
PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE
source=$(cd "$2" && pwd)
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/examples"
cp -r "$source/examples/paper-tables" "$scratch/examples"
ln -s "$source/examples/data" "$scratch/examples/data"
ln -s "$source/configs" "$scratch/configs"
cd "$scratch/examples/paper-tables"
# measure ARGUMENT...: makes tables and the report
measure() { make -s SCALE=small "$@" report > log 2>&1 || { cat log; exit 1; }; }
check() { python3 "$source/tests/python/paper_tables.py" "$@" || { echo "FAILED: $*"; exit 1; }; }
make -s clean
measure all
check stand-ins

# The same with files of the user, in the forms that the README names.
texts=$source/examples/data/text-wordnet-lexnames
robe-compress generate --shape small --samples 6000 -o clicks.tsv -q
gnn-sample generate --scale 4 -o graph.safetensors -q
python3 -c '
import random
r = random.Random(1)
print("user_id,item_id,timestamp,state_label,comma_separated_list_of_features")
for time in range(2000):
    user = r.randrange(40)
    print(user, (user * 7 + r.randrange(2)) % 30, time, 0, r.random(), sep=",")' > edits.csv
make -s clean
measure bolt-yelp YELP_TRAIN="$texts/train.csv.zst" YELP_TEST="$texts/test.csv.zst"
measure robe-auc CRITEO=clicks.tsv
measure salient-ladder OGBN=graph.safetensors
measure tgn-batch-size WIKIPEDIA=edits.csv EPOCHS=2
check yours
# Training data alone are an error in words.
if make -s slide AMAZON_670K_TRAIN=clicks.tsv > log 2>&1; then echo 'half of the data was taken'; exit 1; fi
grep -q 'name your training data and your test data' log || { cat log; exit 1; }
