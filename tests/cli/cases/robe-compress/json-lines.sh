# JSON Lines are read as the same rows of CSV: names in any order, null and absent names as missing values.
python3 - <<'P'
import csv, json, random
random.seed(3)
with open("t.csv", "w", newline="") as table, open("t.jsonl", "w") as lines:
    out = csv.writer(table, lineterminator="\n")
    out.writerow(["click", "user", "price", "seen", "note"])
    for i in range(300):
        row = {"click": i * 7 % 3 % 2, "user": f"u{i % 11}", "price": round(random.random(), 3), "seen": "2024-02-%02d" % (1 + i % 29),
               "note": 'a "b", c' if i % 5 else "\u00e9"}
        row["price"] = None if i % 13 == 0 else row["price"]
        out.writerow(["" if v is None else v for v in row.values()])
        items = list(row.items())[i % 5:] + list(row.items())[:i % 5] if i else list(row.items())
        lines.write(json.dumps({k: v for k, v in items if v is not None or i % 2 == 0 or i == 0}, ensure_ascii=i % 2 == 0) + "\n")
P
options="-q -f --epochs 2 --columns click:label,seen:weekday,price:number,*:category --architecture dlrm --held-out every:5"
export SOURCE_DATE_EPOCH=1700000000
mkdir a b; cp t.csv a/data; cp t.jsonl b/data
for folder in a b; do (cd $folder; robe-compress train data -o m $options; robe-compress predict m data -q -o p -f); done
cmp a/m b/m && cmp a/p b/p && echo "one model, one answer"
# Python writes True where JSON has true.
(echo click,c,d; for i in 1 2 3 4 5 6 7 8 9; do printf '1,True,a\n0,False,a\n1,TRUE,\n0,,b\n'; done) > bool.csv
robe-compress train bool.csv -o bool --columns click:label,*:category --epochs 2 2>&1 | grep categories
printf '{"c":true,"d":"a"}\n{"c":false,"d":"a"}\n' | robe-compress predict bool > json; printf 'c,d\nTrue,a\nFalse,a\n' | robe-compress predict bool | cmp - json && echo same
# Models are of tables: what was trained on one form answers the other, packed or by pipe.
(cd a; robe-compress predict m ../t.jsonl -q | cmp - p; zstd -q ../t.jsonl; robe-compress eval m ../t.jsonl.zst -q; gzip -c ../t.jsonl | robe-compress predict m - -q | cmp - p)
(cd b; robe-compress predict m ../t.csv -q | cmp - p)
robe-compress train t.jsonl -o s $options --stream --held-out '' --ids hash --hash-rows 100 --epochs 1; echo "exit $?"
# Names decide: others are passed over, and what no object has is missing.
printf '{"more":{"a":[1]},"user":"u1","seen":"2024-02-01"}\n{"user":"u1","price":0.5,"seen":null,"note":"x"}\n' | robe-compress predict a/m - -f -o p; wc -l < p
f() { printf "$1" > f.jsonl; shift; robe-compress predict a/m f.jsonl "$@" > out; echo "exit $?"; }
f '{"usr":"u1"}\n'
f '{"user":"u1","price":"dear"}\n'
f '{"user":{"id":1},"price":1}\n'
f '{"user":"u1"}\n\n{"user":["u1"]}\n'
f '{"user":"u1"}\n{"user":"u2"}\n[1]\n'
f '{"user":"u1"}\n{"user":"u2"\n'
f '{"user":"u1"}\n{"user":"\\u0000"}\n'
f '{"user":"u1"}\n' --header no
f '{"user":"u1"}\n' --separator ';'
f '{"user":"u1"}\n' --format csv
f 'user\nu1\n' --format jsonl
f '[{"user":"u1"}]\n'
