# Edges, features, labels and parts are read from JSON Lines by the names in the objects.
g() { gnn-sample import "$@"; echo "exit $?"; }
printf '{"source":"ann","target":"bob","kg":2,"of":{"day":1}}\n\n{"kg":3.5,"target":"cy","source":"bob"}\n' > edges.jsonl
printf '{"id":"cy","a":5,"b":6}\n{"id":"ann","b":2,"a":1}\n{"a":3,"id":"bob","b":4,"c":0}\n' > features.jsonl
printf '{"id":"bob","kind":"dog"}\n{"id":"ann","kind":"cat"}\n{"kind":null,"id":"cy"}\n' > labels.jsonl
printf '{"id":"ann","part":"train"}\n{"part":"test","id":"bob"}\n{"id":"cy"}\n' > parts.jsonl
g edges.jsonl --ids any --columns kg:weight -o w.safetensors
tensor-file cat w.safetensors --tensor weights
sed 's/,"c":0//' features.jsonl > x.jsonl
g edges.jsonl --ids any --features x.jsonl --labels labels.jsonl --split parts.jsonl --columns kg:weight,id:id,kind:label,part:split -o g.safetensors
for t in names features labels split; do tensor-file cat g.safetensors --tensor $t; done
# The same from CSV is the same graph.
printf 'source,target,kg\nann,bob,2\nbob,cy,3.5\n' > edges.csv
printf 'id,a,b\ncy,5,6\nann,1,2\nbob,3,4\n' > x.csv
printf 'id,kind\nbob,dog\nann,cat\ncy,\n' > labels.csv
printf 'id,part\nann,train\nbob,test\ncy,\n' > parts.csv
g edges.csv --ids any --features x.csv --labels labels.csv --split parts.csv --columns kg:weight,id:id,kind:label,part:split -o csv.safetensors
tensor-file diff g.safetensors csv.safetensors
# Ids that are numbers are those of the nodes, and types have edges in JSON Lines, too.
printf '{"from":5,"to":2}\n{"to":7,"from":2}\n' > numbers.jsonl
g numbers.jsonl -o n.safetensors
g --edges user:buys:item=numbers.jsonl -o n.safetensors -f
# One column is enough; null and a missing name are no class.
printf '{"class":1}\n{"class":null}\n{}\n{"class":2}\n' > one.jsonl
printf '0,1\n1,2\n2,3\n' > path.csv
g path.csv --labels one.jsonl -o n.safetensors -f
tensor-file cat n.safetensors --tensor labels
# Errors name the line.
printf '{"source":"a","target":"b"}\n{"source":"b","target":{"x":1}}\n' > nested.jsonl
g nested.jsonl --ids any -o bad.safetensors
printf '{"source":"a","target":"b"}\n{"source":"c"}\n' > missing.jsonl
g missing.jsonl --ids any -o bad.safetensors
printf '{"source":"a","target":"b"}\n{"source":"b","target":"c" "x":1}\n' > broken.jsonl
g broken.jsonl --ids any -o bad.safetensors
printf '{"a":1,"b":2}\n{"a":2,"b":3}\n' > unnamed.jsonl
g unnamed.jsonl -o bad.safetensors
g unnamed.jsonl --columns a:target,b:source -o n.safetensors -f
g edges.csv --ids any --features features.jsonl --columns id:id -o bad.safetensors
g numbers.jsonl --header yes -o bad.safetensors
# One object alone may be a graph of nodes and links.
printf '{"directed":true,"nodes":[{"id":1},{"id":0}],"links":[{"source":1,"target":0}]}\n' > graph.txt
g graph.txt -o n.safetensors -f
