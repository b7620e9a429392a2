# A command without steps of its own writes its result.
demo-tool show -q --metrics m.jsonl --report r.html --depfile d -o out
python3 - <<'END'
import json
lines = [json.loads(line) for line in open('m.jsonl')]
print([line['type'] for line in lines], sorted(lines[0]), lines[1]['rate'])
END
grep -c '<html' r.html
head -n 1 d
