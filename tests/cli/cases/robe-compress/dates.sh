# Hours and weekdays of times, however they are written.
cat > make.py <<'PYTHON'
import datetime
epoch = datetime.datetime(1970, 1, 1)
rows = [(k * 37 % 10, datetime.datetime(2012, 1, 1, k % 24) + datetime.timedelta(days=k * 11 % 365)) for k in range(700)]
rows = [(int(noise < (9 if when.weekday() >= 5 else 1)), when) for noise, when in rows]
def write(name, form):
    with open(name + ".csv", "w") as file:
        file.write("click,when\n" + "".join(f"{click},{form(when)}\n" for click, when in rows))
write("yymmddhh", lambda d: d.strftime("%y%m%d%H"))
write("yyyymmddhh", lambda d: d.strftime("%Y%m%d%H"))
write("iso", lambda d: d.strftime("%Y-%m-%d %H:00:00"))
write("zoned", lambda d: d.strftime("%Y-%m-%dT%H:00+02:00"))
write("seconds", lambda d: int((d - epoch).total_seconds()))
write("milliseconds", lambda d: int((d - epoch).total_seconds()) * 1000)
write("yyyymmdd", lambda d: d.strftime("%Y%m%d"))
write("wrong", lambda d: "on Monday")
write("missing", lambda d: "NaT" if d.day == 1 else d.isoformat())
PYTHON
python3 make.py
for name in yymmddhh yyyymmddhh iso zoned seconds milliseconds yyyymmdd missing wrong; do
  printf '%s: ' $name
  robe-compress train -f $name.csv --columns when:hour,when:weekday --epochs 4 --method full --top 8 --batch-size 32 -o m.model 2>&1 |
    grep -E 'categories|^robe-compress'; [ ! -f m.model ] || robe-compress eval m.model $name.csv 2>&1 | head -n 1
  rm -f m.model
done
# A range of days, whatever the form of the column, has all of its last day.
for name in yymmddhh yyyymmddhh iso zoned seconds yyyymmdd missing; do
  robe-compress train -f $name.csv --days when=2012-03-01..2012-03-31 --columns when:weekday --epochs 1 --architecture linear -o d.model --json | grep '"samples":'
  for days in 2012-03-31..2012-03-31 20120331..20120331 2013-01-01..; do robe-compress predict d.model $name.csv -q --days when=$days | wc -l; done
done
robe-compress predict d.model iso.csv --days when=2013-01-01.. ; robe-compress predict d.model iso.csv --days when=01/01/2012..12/31/2012; robe-compress predict d.model wrong.csv --days when=2012-01-01..; robe-compress predict d.model iso.csv --days when=1..31
