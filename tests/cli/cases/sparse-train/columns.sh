# Columns with types, in training, prediction and explanation of what is wrong.
i=0; echo 'title,price,brand,day,tags,id' > cars.csv
while [ $i -lt 200 ]; do
  k=$((i % 4))
  echo "\"word$k stuff, $((i % 7))\",$((k * 10 + i % 10)),b$k;c$((i % 3)),2024-0$((k + 1))-1$((i % 10)),t$k|u$((k / 2)),$i"
  i=$((i + 1))
done >> cars.csv
columns='title:text,price:number,brand:category(;),day:date,tags:label(|)'
sparse-train train cars.csv -o cars.model -q --columns "$columns" && sparse-train eval cars.model cars.csv --json | grep '"p_at_1'
head -3 cars.csv | sparse-train predict cars.model --top-k 2 | sed 's/:[0-9.]*//g'
echo 'columns: "title:text,brand:category(;),tags:label(|)"' > columns.yaml
sparse-train train cars.csv -o cars.model -q --config columns.yaml; echo "exit $?"
# A quoted field with a line end is one record and gets one answer.
printf 'title,price,brand,day,tags,id\n"word1\nstuff",12,b1,,,1\nword3 stuff,35,b3,,,2\n' > new.csv
sparse-train predict cars.model new.csv | sed 's/:[0-9.]*//g'
t() { sparse-train train "$@" -o model; echo "exit $?"; }
t cars.csv --columns 'titel:text,tags:label'
t cars.csv --columns 'title:txt,tags:label'
t cars.csv --columns 'title:text,title:date'
t cars.csv --columns 'title:text(;)'
t cars.csv --columns 'tags:label'
t cars.csv --columns 'brand:number,tags:label'
t cars.csv --columns 'brand:date,tags:label'
t cars.csv --columns 'title:text,tags:label' --label-column tags
printf 'a,b,a\n1,2,3\n' > twice.csv; t twice.csv --columns 'a:text,b:label'
printf 'label,n\nx,1\ny,inf\n' > inf.csv; t inf.csv --columns n:number,label:label
ls
