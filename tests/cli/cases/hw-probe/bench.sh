hw-probe bench --quick --only peak/f32/1 --json > bench.json
python3 - <<'PY'
import json
bench = json.load(open("bench.json"))
print(bench["schema"], sorted(bench["figures"]))
figure = bench["figures"]["peak/f32/1"]
print(sorted(figure), figure["unit"])
assert figure["median"] > 0.1 and figure["spread"] >= 0
print(type(bench["noisy"]).__name__, bench["verdict"].split(":")[0] in ("quiet enough", "too noisy to trust"))
PY
hw-probe bench --quick --only gemm/f32 --threads 1 | awk '/^gemm/ {print $1, $3}'
hw-probe bench --quick --report report.html > table.txt; grep -c "<svg" report.html; grep -c "too noisy\|quiet enough" table.txt
plugins=$(dirname "$(dirname "$(command -v hw-probe)")")/host_cuda
FRUGAL_PLUGIN_DIR=$plugins hw-probe bench --quick --only device | awk '/^device/ {print $1, $3}'
hw-probe bench --quick --only nothing-like-this; echo "status $?"
