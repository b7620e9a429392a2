# The keys that scripts may rely on.
hw-probe detect --json > machine.json
python3 - <<'PY'
import json
machine = json.load(open("machine.json"))
print(machine["schema"])
for key in ("cpus_usable", "isa", "caches", "memory_bytes", "devices"):
    print(key, type(machine[key]).__name__)
assert machine["cpus_usable"] >= 1 and machine["memory_bytes"] > 0
for name, level in machine["isa"].items():
    assert isinstance(level["usable"], bool) and level["reason"], name
print(*(f"{tool}:{choice['device']}" for tool, choice in machine["tools"].items()))
for kind in ("cuda", "rocm", "ipu"):
    accelerator = machine["accelerators"][kind]
    print(kind, "has reason:", bool(accelerator["reason"]), "signals:", bool(accelerator["signals"]))
PY
hw-probe detect --format json | grep -c '"cpus_usable"'
