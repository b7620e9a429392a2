# JSON Lines with a broken line are an error of this line, wherever it stands and whatever the file is called.
python3 - <<'P'
import json
rows = [json.dumps({"label": l, "text": f"{t} word{i}"}) for i in range(30) for l, t in (("sport", "ball goal"), ("tech", "code chip"))]
whole = [json.dumps({"label": "sport", "text": "ball"}), json.dumps({"label": "tech", "text": "chip"})]
def write(name, lines): open(name, "w").write("".join(line + "\n" for line in lines))
write("t.jsonl", rows)
for name, at, line in (("first", 0, "broken"), ("second", 1, "broken"), ("cut", 0, '{"label": "sport", "te'), ("half", 0, '{"label": "tech", "text": "\\ud83d"}')):
    for end in ("jsonl", "txt"): write(f"{name}.{end}", whole[:at] + [line] + whole[at:] + rows[:4])
P
sparse-train train t.jsonl -o m -q --no-search --threads 1
for f in first second cut half; do
  echo "$f"
  for end in jsonl txt; do sparse-train predict m $f.$end; sparse-train eval m $f.$end; done
  sparse-train train $f.jsonl -o n -q --no-search --threads 1
  sparse-train eval m $f.jsonl --skip-bad 1 --json | grep '"examples"'
done
printf '{"text":"a"}\n{"text":"b"}\n' > one.jsonl; sparse-train train one.jsonl -o n -q; echo "exit $?"
printf '{"text":"\\ud83d"}\n' > none.jsonl; sparse-train predict m none.jsonl --format jsonl; echo "exit $?"
# Python writes True where JSON has true: one category, and one label.
(echo label,c,d; for i in 1 2 3 4 5 6 7 8 9; do printf 'True,True,a\nFalse,False,a\n'; done) > bool.csv
printf '{"label":true,"c":true,"d":"a"}\n{"label":false,"c":false,"d":"a"}\n' > bool.jsonl
sparse-train train bool.csv -o b -q --columns label:label,c:category,d:category; sparse-train eval b bool.jsonl | grep -o "^accuracy [0-9.]*"
# Lists with a 0 or 1 for each label are no labels; the command that the message names makes labels of them.
printf '{"text":"ball goal","labels":[1.0,0.0,0.0]}\n{"text":"chip code","labels":[0.0,1.0,1.0]}\n' > hot.jsonl
sparse-train train hot.jsonl -o n -q; echo "exit $?"
# Python's dicts are no JSON, and no table.
printf "{'label': 'a', 'text': 'ball'}\n{'label': 'b', 'text': \"it's\"}\n" > dicts.txt; sparse-train train dicts.txt -o n -q; echo "exit $?"
