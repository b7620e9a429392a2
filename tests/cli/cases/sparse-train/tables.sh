# Tables as their owners write them: columns by name, separators, headers, labels that lines cannot hold.
python3 - <<'P'
cities = ["york", "rome", "New York"]
rows = [(c, f"alpha{i} beta{i}", f"note{(i * 7 + r) % 5}") for r in range(8) for i, c in enumerate(cities)]
def write(name, columns, separator=",", header=True):
    with open(name, "w") as file:
        names = [column[0] for column in columns]
        for row in ([names] if header else []) + [[row[column[1]] for column in columns] for row in rows]:
            file.write(separator.join(row) + "\n")
city, title, body = ("city", 0), ("title", 1), ("body", 2)
write("a.csv", [city, title, body])
write("swapped.csv", [body, ("more", 2), city, title])
write("titles.csv", [("body", 2), ("title", 1)])
write("semicolons.csv", [city, title, body], ";")
write("tabs.tsv", [city, title, body], "\t")
write("lacks.csv", [city, title])
write("plain.csv", [city, title, body], header=False)
write("last.csv", [("review", 1), ("rating", 0)])
P
options="-q --architecture tree --no-search --min-count 1 --calibration none -f"
sparse-train train a.csv -o m $options --label-column city
accuracy() { sparse-train eval m "$1" --json | sed -n 's/^ *"accuracy": \(.*\),/\1/p'; }
for f in a.csv swapped.csv semicolons.csv tabs.tsv plain.csv; do echo "$f $(accuracy $f)"; done
sparse-train eval m lacks.csv; echo "exit $?"
sparse-train eval m titles.csv; echo "exit $?"
# one answer for each row, by file and by pipe, with a byte order mark and CR LF
sparse-train predict m titles.csv --no-scores | sort | uniq -c
(printf '\357\273\277'; sed 's/$/\r/' titles.csv) | sparse-train predict m --no-scores | sort | uniq -c
sparse-train predict m lacks.csv; echo "exit $?"
sparse-train predict m plain.csv --no-scores | wc -l
sparse-train export m --label-names
# the label by its name or by what the columns hold
for f in last.csv plain.csv; do sparse-train train $f -o n $options; sparse-train info n --json | grep '"labels"'; done
head -n 15 plain.csv | sparse-train train - -o n $options --header yes --json | grep '"examples"'
sparse-train train semicolons.csv -o n $options --separator ,; echo "exit $?"
sparse-train train semicolons.csv -o n $options --separator ab; echo "exit $?"
printf 'label,text\ra,b\r' > cr.csv; sparse-train train cr.csv -o n $options; echo "exit $?"
# JSON Lines: names are columns, lists are several labels; tables and JSON Lines are of one kind for a model
python3 -c 'import csv, json
for row in csv.DictReader(open("a.csv")): print(json.dumps({**row, "more": None}))' > a.jsonl
for f in a.jsonl; do echo "$f $(accuracy $f)"; done
sparse-train train a.jsonl -o j $options --label-column city
sparse-train eval j swapped.csv | sed -n 2p
echo '{"title":"alpha1 beta1","body":""}' | sparse-train predict j --no-scores
printf '{"labels":["a","b"],"text":"one \\u00e9"}\n{"labels":["b"],"text":"two"}\n{"labels":[],"text":"two"}\n' > l.jsonl
sparse-train train l.jsonl -o j $options --json | grep -E '"(examples|labels|features)"'
printf '{"labels":["a","b"],"text":"one"}\n{"text":""}\n[1]\n' > bad.jsonl; sparse-train train bad.jsonl -o j $options; echo "exit $?"
# svmlight: comments are no examples, numbers are labels in any spelling
printf '# made\n#\n+1 1:1 2:.5 # c\n-1 3:1\n1 qid:3 1:1\n1.0 1:1\n-1.0 3:2\n' > l.svm
sparse-train train l.svm -o l -q -f --json | grep -E '"(examples|labels)"'; sparse-train export l --label-names
printf '# one\n1 1:1\n-1 3:2\n' | sparse-train predict l --no-scores
printf '__label__a x\n  __label__a y\n\t__label__b z\n__label__ y\n' > f.txt
sparse-train train f.txt -o n -q -f --min-count 1 --json | grep -E '"(examples|labels)"'
