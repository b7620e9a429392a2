# Tables that are easily misread: each is read as its owner means it, or refused with the way out.
train() { sparse-train train "$@" -o m -q -f --no-search --epochs 2; echo "exit $?"; }
rows() { for i in $(seq 30); do printf "$1\n$2\n"; done; }
# pandas' header of an array is no example
(echo ,0,1,2; for i in $(seq 60); do echo "$i,0.$i,0.$((i % 7)),$((i % 2))"; done) > array.csv
train array.csv; sparse-train export m --label-names; sparse-train predict m array.csv | wc -l
# one quote between tabs is a character, a field that is quoted late needs --format
(printf 'text\tlabel\n'; rows 'cat\ta' '"sun\tb') > one.tsv
train one.tsv; sparse-train predict m one.tsv | wc -l
train one.tsv --format csv --separator tab
(printf 'text\tlabel\n'; for i in $(seq 1000); do rows 'cat\ta' 'sun\tb'; done; printf '"sun\nmoon"\tb\n') > late.tsv
train late.tsv
train late.tsv --format csv --separator tab; sparse-train predict m late.tsv --no-scores | sort | uniq -c
sparse-train predict m late.tsv --format tsv | wc -l
# quotes that join rows
(printf 'text\tlabel\n"cat"\ta\n'; for i in $(seq 1000); do rows 'cat\ta' 'sun\tb'; done; rows '"sun\tb' 'cat"\ta') > joined.tsv
sparse-train train joined.tsv -o m -f --no-search --epochs 2 2>&1 | head -n 2
sparse-train predict m joined.tsv | wc -l
# a bad record counts as many lines as it has
(echo label,text; rows 'a,cat' 'b,sun'; echo 'a,"cat'; rows 'a,cat' 'b,sun'; echo 'a,"x') > quote.csv
train quote.csv --skip-bad 1
# texts with a comma are no labels beside texts; a blank line above a header is no row
(echo; echo label,text; rows 'a,cat dog' 'b,sun moon') > blank.csv
train blank.csv; sparse-train predict m blank.csv --no-scores | sort | uniq -c
printf 'sun, cat\nsun\n' | sparse-train predict m --no-scores; echo "exit $?"
printf 'sun\nsun, cat\n' | sparse-train predict m --no-scores; echo "exit $?"
printf 'sun, cat\nsun\n' | sparse-train predict m --format text --no-scores
# a document is no list of texts
printf '{\n  "text": "cat"\n}\n{\n  "text": "sun"\n}\n' > pretty.json
sparse-train predict m pretty.json; echo "exit $?"; sparse-train eval m pretty.json; echo "exit $?"
echo '[{"label":"a","text":"cat"},{"label":"b","text":"sun"}]' | sparse-train predict m; echo "exit $?"
(echo '| label | text |'; echo '|---|---|'; rows '| a | cat |' '| b | sun |') > drawn.md; train drawn.md
sed '/^[-+|: ]*$/d; s/^ *| *//; s/ *| *$//; s/ *| */|/g' drawn.md > drawn.csv; train drawn.csv
rows '1 |f x:0.5' '2 |f y:0.25' > vw.txt; train vw.txt
(echo '"label"\t"text"'; rows '"1"\t"a"\t"a \\"cat\\""' '"2"\t"b"\t"sun"' | awk '{ sub(/^"[12]"/, "\"" NR "\""); print }') > r.tsv; train r.tsv
(printf '"label"\t"text"\n'; rows '"a"\t"a \\"cat\\""' '"b"\t"sun"') > q.tsv; train q.tsv; train q.tsv --format tsv
# the answer in other words, and numbers to predict
(echo text,label,label_text; for i in $(seq 30); do echo "cat w$((i * 7 % 13)),0,neg"; echo "sun w$((i * 5 % 11)),1,pos"; done) > copy.csv
sparse-train train copy.csv -o m -f --no-search --epochs 2 2>&1 | head -n 1
train copy.csv --text-columns text
for i in $(seq 60); do echo "$i.5 1:0.$i"; done > numbers.svm
sparse-train train numbers.svm -o m -f --no-search --epochs 2 2>&1 | head -n 1
(echo label,text,text; rows 'a,cat,red' 'b,sun,blue') > twice.csv
train twice.csv; train twice.csv --columns 1:label,3:text; sparse-train predict m twice.csv --no-scores | sort | uniq -c
# weights whose quotes are misplaced
(echo label,text; rows '"a,b",cat' 'b,sun') > quoted.csv
echo '"a,b";2,5' > weights; train quoted.csv --weights weights
