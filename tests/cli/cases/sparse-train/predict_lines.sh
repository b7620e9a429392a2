# predict divides lines as eval does: by another separator with the model's names, with a first row that looks like names, with quotes.
i=0; while [ $i -lt 40 ]; do printf 'sports,ball goal team%s\nfood,soup bread oven%s\n' $i $i; i=$((i + 1)); done > bare.csv
{ echo label,text; cat bare.csv; } > named.csv; tr , '\t' < named.csv > named.tsv
for m in bare.csv named.csv named.tsv; do sparse-train train $m -o ${m%.*}${m##*.} -q --no-search --threads 1; done
both() { sparse-train predict "$@" | sed 's/:[0-9.]*//g'; sparse-train eval "$@" | head -n 1; }
printf 'label;text\nsports;ball goal\nfood;soup bread\n' > other.csv; both namedcsv other.csv
printf '"label"\t"text"\n"sports"\t"ball goal"\n"food"\t"soup bread"\n' > quoted.tsv; both namedtsv quoted.tsv
printf 'sports;ball goal\nfood;soup bread\n' > lines.csv; both barecsv lines.csv
printf 'food,review\nsports,ball goal\nfood,soup bread\n' > rows.csv; both barecsv rows.csv
{ echo label,text; cat rows.csv; } > names.csv; both barecsv names.csv
both barecsv names.csv --header no
echo 'ball goal, soup bread oven' | sparse-train predict barecsv | sed 's/:[0-9.]*//g'
echo 'ball goal, soup bread oven' | sparse-train predict barecsv --format text | sed 's/:[0-9.]*//g'
