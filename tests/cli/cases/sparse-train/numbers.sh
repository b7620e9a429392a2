# A table of numbers alone: columns are numbers, whole ones categories, too; beside a text, or if words are asked for, they are words.
python3 - <<'P'
import json, random
random.seed(3)
def table(name, rows, header):
    open(name + ".csv", "w").write("".join(",".join(map(str, r)) + "\n" for r in [header] + rows))
cells = []
for _ in range(400):
    a, b, c = random.randrange(17), random.randrange(17), round(random.gauss(0, 1), 3)
    cells.append((a, b, c, int(a - b + c > 0)))
table("cells", cells[:300], ("a", "b", "c", "target")); table("rest", cells[300:], ("a", "b", "c", "target"))
table("mixed-up", [(r[3], r[2], r[0], r[1]) for r in cells[300:]], ("target", "c", "a", "b"))
table("gaps", [("", r[1], "NA", r[3]) for r in cells[300:310]], ("a", "b", "c", "target"))
open("rest.jsonl", "w").write("".join(json.dumps(dict(zip(("a", "b", "c", "target"), r))) + "\n" for r in cells[300:]))
kind = [random.randrange(2) for _ in range(60)]
codes = [(u, kind[u] if random.random() < .95 else 1 - kind[u]) for u in (random.randrange(60) for _ in range(1500))]
table("codes", codes[:1000], ("user", "bought")); table("codes-rest", codes[1000:], ("user", "bought"))
P
t() { sparse-train train "$@" -o m -f --threads 1 2>&1 | grep -E '^sparse-train.*column|^[0-9]+ examples' | sed 's/([0-9].*an example)/(...)/'; }
above() { python3 -c "import json, sys; print('accuracy', '>=' if json.load(sys.stdin)['accuracy'] >= $1 else '<', $1)"; }
t cells.csv; for f in rest.csv mixed-up.csv rest.jsonl; do sparse-train eval m $f --json -q | above .9; done
sparse-train predict m rest.csv -o a -f -q; for f in mixed-up.csv rest.jsonl; do sparse-train predict m $f -o b -f -q; cmp a b && echo same; done
sparse-train predict m gaps.csv | wc -l; sparse-train info m | grep -iE 'column|number|categor'
t cells.csv --columns '*:number,target:label'; t cells.csv --text-columns '*'; sparse-train eval m rest.csv --json -q | above .8
t cells.csv --columns 'a:number,a:category,b:number,b:category,c:number,target:label'; sparse-train predict m rest.csv -o b -f -q; cmp a b && echo same
t cells.csv --word-ngrams 1; t rest.jsonl
t codes.csv; sparse-train eval m codes-rest.csv --json -q | above .9
sed '5s/^[0-9]*/many/' rest.csv > late.csv; sparse-train eval m late.csv; sparse-train train rest.csv -o m -f -q; sparse-train eval m late.csv; echo exit $?
# Parts of the data are read alike.
sparse-train tune cells.csv -o best.yaml --model tuned --architecture dense -q -f --threads 1 --trials 2; sparse-train eval tuned rest.csv --json -q | above .9
# Numbers may have decimal commas between semicolons; an error says what was assumed; text to predict may begin with brackets.
sed 's/,/;/g; s/\./,/g' cells.csv > commas.csv; t commas.csv; sed '4s/^[0-9]*/many/' rest.csv > middle.csv
(cat cells.csv cells.csv cells.csv cells.csv; tail -n +2 middle.csv) | grep -v '^a,' | sed '1i a,b,c,target' > far.csv; sparse-train train far.csv -o m -f -q; echo exit $?
(echo text,label; for i in 1 2 3 4 5 6; do echo good film,yes; echo bad song,no; done) > texts.csv; sparse-train train texts.csv -o m -f -q --no-search
printf '[[good]] film\nbad song\n' | sparse-train predict m -q --header no | cut -d: -f1; printf '[\n{"text": "good"}\n]\n' | sparse-train predict m -q; echo exit $?
for row in 'good film,' 'good film,yes'; do echo "$row" | sparse-train predict m --header no 2>&1 | sed 's/:[0-9.]*$//'; done
