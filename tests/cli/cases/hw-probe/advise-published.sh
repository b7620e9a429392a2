# What papers measured, beside what the model predicts from data sheets: the order, and times and ratios within a factor
# of two.
python3 - <<'PY'
import json, subprocess

def seconds(workload, machine, nodes=1):
    command = ["hw-probe", "advise", workload, "--machines", machine, "--nodes", str(nodes), "--calibration", "none", "--json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["machines"][0]["epoch_seconds"]

def compare(what, predicted, published):
    miss = max(predicted / published, published / predicted)
    print(f"{what}: predicted {predicted:.2f}, published {published:.2f}, a factor of {miss:.2f} apart",
          "" if miss <= 2 else "TOO FAR")

def in_order(what, rows):
    print(what, "in order" if rows == sorted(rows) else "NOT in order", [round(row, 1) for row in rows])

graviton, ice_lake = (5 * seconds("amazon-670k-bolt", m) for m in ("c7g.8xlarge", "c6i.8xlarge"))
pytorch, tensorflow = (5 * seconds("amazon-670k-" + w, "g5g.8xlarge") for w in ("pytorch", "tensorflow"))
in_order("Amazon-670K", [graviton, ice_lake, pytorch, tensorflow])
compare("Ice Lake / Graviton3", ice_lake / graviton, 1470 / 935)
compare("PyTorch / Graviton3", pytorch / graviton, 5130 / 935)
compare("TensorFlow / Graviton3", tensorflow / graviton, 7550 / 935)
compare("TensorFlow / PyTorch", tensorflow / pytorch, 7550 / 5130)

for what, predicted, published in (("Graviton3", graviton, 935), ("Ice Lake", ice_lake, 1470), ("T4G, PyTorch", pytorch, 5130),
                                   ("T4G, TensorFlow", tensorflow, 7550)):
    compare("Amazon-670K, seconds, " + what, predicted, published)

gain = {b: seconds(f"tgn-wikipedia-{b}", "a100") / seconds(f"tgn-wikipedia-{b}", "ipu-bow") for b in (10, 200)}
in_order("TGN, A100 / IPU at 200 and at 10", [gain[200], gain[10]])
compare("TGN, A100 / IPU at 10", gain[10], 11)
compare("TGN, A100 / IPU at 200", gain[200], 3)
compare("TGN on the IPU, memory in DRAM", seconds("tgn-twitter-large", "ipu-bow") / seconds("tgn-twitter-tiny", "ipu-bow"), 2)

published = [50.4, 34.6, 27.8, 16.5]
ladder = [seconds("salient-papers100m-" + rung, "v100")
          for rung in ("1-pyg", "2-sampling", "3-slicing", "4-pipelined")]
in_order("SALIENT's ladder from its end", ladder[::-1])
for rung in (1, 2, 3):
    compare(f"rung {rung} / {rung + 1}", ladder[rung - 1] / ladder[rung], published[rung - 1] / published[rung])

for rung in range(4):
    compare(f"rung {rung + 1}, seconds", ladder[rung], published[rung])
cluster = seconds("salient-papers100m-4-pipelined", "v100-pair", 8)
compare("16 GPUs, seconds", cluster, 2.0)
compare("1 GPU / 16 GPUs", ladder[3] / cluster, 16.5 / 2.0)

step, inference = (seconds("criteo-tables" + kind, "v100") / seconds("criteo-robe" + kind, "v100") for kind in ("", "-inference"))
compare("ROBE, training time with 4.5 times the steps", 4.5 / step, 1)
compare("ROBE, inference", inference, 2)
PY
