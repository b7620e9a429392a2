# JSON Lines are read as the same rows of CSV: names in any order, null and absent names as missing values.
python3 - <<'P'
import csv, json, random
random.seed(3)
with open("e.csv", "w", newline="") as table, open("e.jsonl", "w") as lines:
    out = csv.writer(table, lineterminator="\n")
    out.writerow(["when", "to", "from", "weight", "note", "label"])
    for i in range(400):
        row = {"when": 1433252647 + i * 7, "to": f"n{random.randrange(20)}", "from": 'x "y", z' if i % 9 == 0 else f"n{random.randrange(20)}",
               "weight": None if i % 10 == 3 else round(random.random(), 3), "note": "a", "label": int(i % 3 == 0)}
        out.writerow(["" if v is None else v for v in row.values()])
        items = list(row.items())[i % 6:] + list(row.items())[:i % 6] if i else list(row.items())
        lines.write(json.dumps({k: v for k, v in items if v is not None or i % 4}) + "\n")
P
export SOURCE_DATE_EPOCH=1700000000
mkdir a b; cp e.csv a/data; cp e.jsonl b/data
for folder in a b; do
  (cd $folder; tgn-train import data -o e.safetensors; tgn-train train e.safetensors -o m -q --threads 1 --epochs 1 --memory-dim 8 --time-dim 4)
done
cmp a/e.safetensors b/e.safetensors && cmp a/m b/m && echo "one file, one model"
zstd -q e.jsonl; (cd b; tgn-train import - -o packed.safetensors -q < ../e.jsonl.zst; tensor-file diff e.safetensors packed.safetensors | tail -1)
# Live events: each line of a pipe has its answer, an absent feature is 0.
printf '{"when":1433260000,"to":"n1","from":"n2","more":{"a":[1]}}\n{"from":"new","when":1433260001,"to":"n1","weight":0.5}\n' > live
tgn-train predict b/m live --history a/e.safetensors -q | cut -d, -f1-3
printf 'when,to,from,weight\n1433260000,n1,n2,\n1433260001,n1,new,0.5\n' | tgn-train predict b/m - -q --history a/e.safetensors > out; tgn-train predict b/m live -q --history a/e.safetensors | cmp - out
f() { printf "$1" > f.jsonl; shift; tgn-train import f.jsonl -o e.safetensors "$@"; echo "exit $?"; }
f '{"source":1,"target":5,"time":12345678901234567,"label":true}\n\n{"target":2,"source":1,"time":12345678901234568,"label":false}\n'
tensor-file cat e.safetensors --tensor times; tensor-file cat e.safetensors --tensor labels
f '{"source":18446744073709551615,"target":123456789012345678901234567890,"time":"2024-02-29T13:05:59Z"}\n'
f '{"a":5,"b":1,"c":7}\n{"a":6,"b":2,"c":1}\n' --columns a:time,b:source,c:destination
f '{"user":{"id":1},"item":2,"time":3}\n'
f '{"user":1,"item":2,"time":3}\n{"user":1,"item":[2],"time":3}\n'
f '{"user":1,"item":2,"time":3}\n{"user":1,"item":2}\n'
f '{"user":1,"item":2,"time":3}\n{"user":1,"item":2,"time":}\n'
f '{"events":[{"user":1}]}\n'
f '{"user":1,"item":2,"time":3}\n' --header yes
f '{"user":1,"item":2,"time":3}\n' --separator ,
f '{"user":1,"item":2,"time":3}\n' --format csv
f 'user,item,time\n1,2,3\n' --format jsonl
