# Files as users' programs write them, and what is wrong in them.
cat > make.py <<'PYTHON'
rows = [(k % 2, f"u{k % 5}", k % 7 + 0.5, k * 7 % 24) for k in range(120)]
def write(name, header, form, end="\n"):
    with open(name, "w", newline="") as file:
        file.write(end.join([header] + [form(*row) for row in rows]) + end)
write("a.csv", "click,user,age", lambda c, u, a, h: f"{c},{u},{a}")
write("cr.csv", "click,user,age", lambda c, u, a, h: f"{c},{u},{a}", end="\r")
write("huge.csv", "click,x", lambda c, u, a, h: f"{c},{'1e39' if (c, u, a, h) == rows[60] else a}")
write("loss.csv", "click,x", lambda c, u, a, h: f"{c},{3.5 - a}")
write("minutes.csv", "click,when", lambda c, u, a, h: f"{int(h > 11)},202403{h + 1:02}{h:02}00")
write("years.csv", "click,when", lambda c, u, a, h: f"{c},{2000 + h}")
write("serials.csv", "click,when", lambda c, u, a, h: f"{c},{45368 + h}.54")
write("zeros.csv", "click,when", lambda c, u, a, h: f"{c},{0 if h < 20 else 1709211959}")
write("marks.csv", "click;x", lambda c, u, a, h: f"{c};" + ("92,5" if c else "1.234"))
write("commas.csv", "click;x", lambda c, u, a, h: f"{c};" + ("92,5" if c else "1234"))
PYTHON
python3 make.py
fit() { robe-compress train -f "$@" --architecture linear --epochs 3 -o m.model 2>&1 | grep -E '^robe-compress|values\)'; }
# predict ignores labels, whatever they are.
fit a.csv; robe-compress predict m.model a.csv > expected
for label in '' '?' NA yes 7; do sed "2,\$s/^[01]/$label/" a.csv | robe-compress predict m.model - | cmp - expected; done
echo '{"user": "u1", "age": 1.5, "click": null}' | robe-compress predict m.model - > /dev/null; echo "exit $?"
# A column that the data lack is their fault. So is the label where it is needed.
cut -d, -f1,2 a.csv | robe-compress predict m.model -; echo "exit $?"
cut -d, -f2,3 a.csv | robe-compress eval m.model -; echo "exit $?"
# Lines that end with CR alone are no header of the whole file.
robe-compress train -f cr.csv -o x.model; robe-compress eval m.model cr.csv; robe-compress predict m.model - < cr.csv; echo "exit $?"
# Numbers that are too large, and negative ones below a logarithm.
fit huge.csv --columns x:number; fit loss.csv --columns x:log; fit loss.csv --columns x:number
# Dates of 12 digits; years and days of a spreadsheet are no Unix times, and 0 may be none.
fit minutes.csv --columns when:hour; robe-compress eval m.model minutes.csv 2>&1 | head -n 1; fit years.csv --columns when:hour
fit serials.csv --columns when:weekday; fit zeros.csv --columns when:hour; robe-compress predict m.model years.csv > /dev/null
# One decimal mark in a column.
fit marks.csv; fit commas.csv; printf 'x;click\n95,5;1\n1.234;0\n' | robe-compress predict m.model -; echo "exit $?"
