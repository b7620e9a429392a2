# Labels as their owners mean them, and what cannot be a label; weights of examples.
python3 - <<'P'
import random
random.seed(1)
def write(name, lines): open(name, "w").write("".join(line + "\n" for line in lines))
texts = [f"good fine number{i}" if i % 2 else f"bad sad number{i}" for i in range(60)]
write("one.csv", ["label,text"] + [f"a,{t}" for t in texts])
write("unique.csv", ["label,text"] + [f"{t},a" for t in texts])
write("no_column.csv", ["subject,body"] + [f"{t},{t} more" for t in texts])
write("codes.csv", ["label,text"] + [f"{'01' if i % 2 else ['1', '+1', '1.0'][i % 3]},{t}" for i, t in enumerate(texts)])
write("numbers.csv", ["label,text"] + [f"{'' if i == 7 else 'nan' if i == 8 else i % 2},{t}" for i, t in enumerate(texts)])
write("floats.csv", ["label,text"] + [f"{i % 2}.0,{t}" for i, t in enumerate(texts)])
def fraud():
    rare = random.random() < 0.03
    words = [random.choice(["wire", "urgent", "gift"]) if random.random() < (0.25 if rare else 0.04)
             else f"n{random.randrange(200)}" for _ in range(8)]
    return ("fraud" if rare else "ok"), " ".join(words)
rows = [fraud() for _ in range(2000)]
write("rare.csv", ["label,weight,text"] + [f"{l},{30 if l == 'fraud' else 1},{t}" for l, t in rows])
write("weights.csv", ["label,weight", "fraud,30"])
P
options="-q -f --min-count 1 --architecture tree --no-search --threads 1"
for f in one unique no_column; do sparse-train train $f.csv -o m -q -f --threads 1; echo "exit $?"; done
sparse-train train unique.csv -o m $options --label-column label; echo "exit $?"
sparse-train tune one.csv -o b.yaml --trials 1 -q; echo "exit $?"
sparse-train train codes.csv -o m $options; sparse-train export m --label-names
sparse-train train numbers.csv -o m $options; sparse-train export m --label-names
sparse-train eval m floats.csv --json | grep -E '"(accuracy|unknown_labels)"'
sparse-train eval m numbers.csv | head -n 1
# What rare labels are worth: fraud has 3 %.
found() { sparse-train eval m rare.csv --per-label l.csv -q; grep fraud l.csv | cut -d, -f 3-5; }
for a in tree dense; do for w in none balanced weight weights.csv; do
  sparse-train train rare.csv -o m -q -f --text-columns text --architecture $a --no-search --threads 1 --weights $w --calibration none
  echo "$a $w $(found)"; done; done
sparse-train train rare.csv -o m $options --weights missing; echo "exit $?"
sparse-train train rare.csv -o m $options --weights text; echo "exit $?"
echo 'theft,2' > other.csv; sparse-train train rare.csv -o m $options --weights other.csv; echo "exit $?"
# A file of weights has each label once, and a weight that can be read in each line.
for w in 'fraud,nan' 'fraud,inf' 'fraud,x' 'fraud;30' 'fraud 30' 'fraud,-1' 'xyz' 'foo,x' '' 'label,weight\nfraud,2\nok,1\nfraud,3' 'label;weight\nfraud;30'; do
  printf "$w\n" > w.csv; sparse-train train rare.csv -o m $options --weights w.csv; echo "exit $?"
done
# A comma joins labels and words in fastText's lines.
for i in 1 2 3 4; do printf '__label__a,ball%s goal\n__label__b,chip%s code\n' $i $i; done > commas.txt; sparse-train train commas.txt -o n --no-search -f 2>&1 | grep comma
