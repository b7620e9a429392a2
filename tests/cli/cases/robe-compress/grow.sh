# A model that is trained further gets rows for what is new to it; what it knew keeps its rows.
cat > make.py <<'PYTHON'
def write(name, first):
    with open(name, "w") as file:
        file.write("click,user,item\n")
        for k in range(900):
            user = k % 18
            file.write(f"{int(k // 18 * 7 % 10 < (9 if user % 2 else 1))},u{first + user},i{k % 7}\n")
write("day1.csv", 0), write("day2.csv", 100), write("day3.csv", 110)
PYTHON
python3 make.py
small='--top 8 --batch-size 32 --epochs 6'; further='--batch-size 32 --epochs 6 --learning-rate 0.01'
auc() { robe-compress eval "$@" 2>&1 | grep -E '^auc|unknown' | sed 's/\(0\.[0-9][0-9]\).*/\1/'; }
for method in '--method full' '--compression 4' '--method robe-hot --hot-share 0.5 --compression 4' '--method hash --compression 4'; do
  echo "== $method"
  robe-compress train day1.csv -f -q $method $small -o m1.model
  robe-compress train day2.csv -f --init m1.model $further -o m2.model 2>&1 | grep -E 'new|rows of'
  robe-compress train day3.csv -f --init m2.model $further -o m3.model 2>&1 | grep -E 'new|rows of'
  auc m1.model day1.csv; auc m1.model day2.csv; auc m2.model day2.csv; auc m3.model day3.csv
done
# Untouched by the steps, known ids answer as before, and so do the new ones, as unknown ones did.
robe-compress train day1.csv -f -q --method full $small -o m1.model
robe-compress train day2.csv -f -q --init m1.model --steps 1 --learning-rate 1e-9 --embedding-rate 1e-9 -o m2.model
for day in day1 day2; do
  for m in m1 m2; do robe-compress predict $m.model $day.csv -q | awk '{ printf "%.4f\n", $1 }' > $m.txt; done; cmp m1.txt m2.txt && echo "$day: the same"
done
# Rare ones share a row; where tables cannot grow, the run says what stays unknown.
robe-compress train day2.csv -f --init m1.model --min-count 1000 --steps 1 -o m2.model 2>&1 | grep -E 'new|rows of'
robe-compress train day2.csv -f -q --init m1.model --unknown error -o m2.model; echo "exit $?"
robe-compress train day1.csv -f -q --method qr --compression 2 $small -o q1.model
robe-compress train day2.csv -f --init q1.model --steps 1 -o q2.model 2>&1 | grep unknown
# What has grown is a table like others: compressed, expanded, looked up, trained on.
robe-compress train day2.csv -f -q --init m1.model $further -o m2.model
robe-compress compress m2.model -f -o c.model --compression 3 | head -n 1; auc c.model day2.csv
robe-compress expand m2.model -f -o t.npz; tensor-file info t.npz
