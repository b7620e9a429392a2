# The same samples have the same answers, however their table is written: order and names of columns, ids, separators,
# missing values.
cat > make.py <<'PYTHON'
rows = [(int((7 * k + k // 3) % 10 < (8 if k % 12 % 2 else 2)), k % 12 + 1, "ab" [k % 2] + str(k % 5), k % 7 / 4) for k in range(600)]
def write(name, form, header="click,user,item,x", separator=",", rows=rows):
    with open(name, "w", newline="") as file:
        for line in [header, *(form(*row) for row in rows)]:
            file.write(line.replace(",", separator) + "\n")
plain = lambda c, u, i, x: f"{c},{u},{i},{x}"
write("train.csv", plain)
test = rows[:100]
write("test.csv", plain, rows=test)
write("reordered.csv", lambda c, u, i, x: f"{x},new,{i},{u}", "x,more,item,user", rows=test)
write("decimal.csv", lambda c, u, i, x: f"{c},{u}.0,{i},{x}", rows=test)
write("padded.csv", lambda c, u, i, x: f"{c}, {u:03d},{i},{x}", rows=test)
write("semicolons.csv", plain, separator=";", rows=test)
write("bars.txt", plain, separator="|", rows=test)
write("other.csv", lambda c, u, i, x: f"{c},{u},{i}", "click,who,item", rows=test)
write("others.csv", lambda c, u, i, x: f"{u},{i},{x}", "page,kind,size", rows=test)
write("short.csv", lambda c, u, i, x: f"{u},{i}", "", rows=test)
write("missing.csv", lambda c, u, i, x: f"{c},{u},{i}," + ("null" if x == 0 else str(x)))
write("late.csv", lambda c, u, i, x: f"{c},{u},{i},{int(4 * x) if x < 2 else 0.5}", rows=rows * 2 + [(1, 1, "a0", 2)])
write("strangers.csv", lambda c, u, i, x: f"{c},{u + 100},{i},{x}", rows=test)
write("label.csv", lambda c, u, i, x: f"{u},{i},{x},{c}", "user,item,size,bought")
write("stars.csv", lambda c, u, i, x: f"{'5.0' if c else 2},{u},{i},{x}", "rating,user,item,x")
PYTHON
python3 make.py
t() { robe-compress train -f --epochs 2 --compression 4 --bottom 8 --top 8 --batch-size 32 "$@" -o m.model 2>&1 | grep -vE '^(adam|adagrad|trained|[0-9]+ rows)|compression'; }
p() { for data; do robe-compress predict m.model "$data" -o answers && cmp answers expected && echo "$data: the same"; done; }

t train.csv -q; robe-compress predict m.model test.csv -o expected
p reordered.csv decimal.csv padded.csv semicolons.csv bars.txt
cat reordered.csv | robe-compress predict m.model | cmp - expected && echo "from a pipe: the same"
robe-compress predict m.model semicolons.csv --separator ';' | cmp - expected && echo "by --separator: the same"
robe-compress predict m.model test.csv --separator x; echo "exit $?"
robe-compress predict m.model other.csv; echo "exit $?"
robe-compress predict m.model others.csv; echo "exit $?"
sed 1d short.csv | robe-compress predict m.model; echo "exit $?"

# Unknown values are counted.
robe-compress predict m.model strangers.csv -o answers --json 2>/dev/null | sed -n '/unknown/,/}/p'
robe-compress eval m.model strangers.csv --json 2>/dev/null | sed -n '/unknown/,/}/p'
t train.csv -q --validation strangers.csv --epochs 1 --schedule constant

# One missing value is no word among numbers; fractions may come late, but not in a pipe.
t missing.csv
awk '{ print } NR == 1 { next } { line[NR] = $0 } END { for (k = 0; k < 3; ++k) for (i = 2; i in line; ++i) print line[i] }' late.csv > long.csv
sed '1001,$s/,0$/,0.25/' long.csv | sed '2,1001s/,0\.[0-9]*$/,1/' > tail.csv
t tail.csv
cat tail.csv | robe-compress train - -o x.model -q; echo "exit $?"

# A label is found by what it is; numbers are compared as numbers.
t label.csv
t stars.csv --positive rating==5
t stars.csv -q
