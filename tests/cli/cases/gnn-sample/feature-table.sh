# A table as it comes from a database becomes features: numbers, dates, categories and words. The label of the same file does not.
table() { # SEED ROWS: a person's job follows from age, city and bio, each of which alone leaves doubt
  awk -v seed="$1" -v rows="$2" 'BEGIN {
    srand(seed); print "id,age,city,joined,hobbies,bio,job,part"
    split("Oslo Rome Paris", city, " "); split("likes quiet evenings|Climbs MOUNTAINS, often", bio, "|")
    for (v = 0; v < rows; ++v) {
      job = int(rand() * 4)
      age = rand() < 0.1 ? "" : 30 + 20 * (job % 2) + int(rand() * 8)
      print v "," age "," city[1 + int(rand() * 3)] ",2020-01-" (10 + v % 20) "," (v % 3 ? "chess;go" : "") ",\"" bio[1 + (job > 1)] "\"," \
        "job" job "," (v % 4 == 1 ? "valid" : v % 4 == 3 ? "test" : "train")
    }
  }'
}
table 1 400 > people.csv
awk 'BEGIN { print "source,target"; for (v = 0; v < 400; ++v) print v "," (v + 1) % 400 }' > edges.csv
types='id:id,job:label,part:split,hobbies:category(;)'
import() { gnn-sample import edges.csv --undirected --features people.csv --labels people.csv --split people.csv --columns "$types" "$@"; }
import -o g.safetensors --word-features 16 --json | grep -A 7 '"features"\|feature_columns'
train() { gnn-sample train "$@" --architecture sage --hidden 16 --batch-size 64 --learning-rate 0.01 --fanouts 3,3 --dropout 0 --epochs 30; }
train g.safetensors -o m --json -q | awk '/"test_accuracy"/ { print ($2 + 0 > 0.85 ? "learns" : "does not learn: " $2) }'
# Other people get the same features, whatever the order of the columns; scales and categories of their own are refused.
table 2 40 > people.csv; awk -F, 'NR == 1 || $3 != "Paris"' people.csv > few.csv
awk 'BEGIN { print "source,target"; for (v = 0; v < 40; ++v) print v "," (v + 1) % 40 }' > edges.csv
types='id:id,job:label,part:split'; import --features-like g.safetensors -o others.safetensors -q; gnn-sample predict m others.safetensors -o p.csv -q; echo "exit $? $(wc -l < p.csv)"
types="$types,hobbies:category(;)"; import --word-features 16 -o own.safetensors -q; gnn-sample predict m own.safetensors -o q.csv -q; echo "exit $?"
# Categories that the model does not know, and columns without a value, are said.
awk -F, 'BEGIN { OFS = "," } NR > 1 { $2 = ""; $3 = toupper($3) } 1' people.csv > people.new; mv people.csv people.old; mv people.new people.csv
types='id:id,job:label,part:split'; import --features-like m -o e.safetensors; mv people.old people.csv
# Errors say what is wrong where.
types='id:id,job:label,part:split,age:number,age:words'; import -o e.safetensors; echo "exit $?"
types='id:id,job:label,part:split,age:number'; import --features-like m -o e.safetensors; echo "exit $?"
types='id:id,job:label,part:split'; import --features-like m --word-features 4 -o e.safetensors; echo "exit $?"
types='id:id,job:label,part:split,city:number'; import -o e.safetensors; echo "exit $?"
types='id:id,job:label,part:split,town:category'; import -o e.safetensors; echo "exit $?"
types='id:id,job:label,part:split,city:categry'; import -o e.safetensors; echo "exit $?"
types='id:id,job:label,part:split,bio:words(;)'; import -o e.safetensors; echo "exit $?"
types='id:id,job:label,part:split'; import --features-like m -o e.safetensors -q; gnn-sample predict m e.safetensors -o e.csv -q; cmp e.csv p.csv; echo "exit $?"
gnn-sample import edges.csv -o bare.safetensors -q; import --features-like bare.safetensors -o e.safetensors; echo "exit $?"
gnn-sample import edges.csv --columns city:category -o e.safetensors; echo "exit $?"
printf '1,2\n3,\n' > gaps.csv; printf '0,1\n' > two.csv
gnn-sample import two.csv --features gaps.csv -o e.safetensors; echo "exit $?"
gnn-sample import two.csv --features gaps.csv --columns '*:number' -o e.safetensors; echo "exit $?"
# The file of the features is that of the labels, however its path is written.
printf 'h,c,label,split\n1,x,0.5,train\n2,x,1.5,test\n' > lab.csv; ln -s lab.csv other.csv
for path in ./lab.csv other.csv "$PWD/lab.csv"; do gnn-sample import two.csv --features "$path" --labels lab.csv --split lab.csv -o e.safetensors --json -q | grep '"features"'; done
gnn-sample import two.csv --features lab.csv -o e.safetensors 2>&1 | grep -c 'warning'
# Types of nodes have tables of their own, and a name of none of them is wrong.
printf 'title,year\na b,1990\nc d,2000\n' > papers.csv; printf 'city\nOslo\nRome\n' > authors.csv
typed() { gnn-sample import --edges author:writes:paper=two.csv --features paper=papers.csv --features author=authors.csv "$@" -o t.safetensors; }
typed --columns city:category,title:words --word-features 4 -q; tensor-file info t.safetensors | grep -o 'graph.feature_columns.[a-z]*'
typed --columns citty:category; echo "exit $?"
