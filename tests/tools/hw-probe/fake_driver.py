#!/usr/bin/env python3
"""hw-probe detect with a pretended CUDA driver: fake_driver.py HW_PROBE LIBRARY_DIR"""
import json
import os
import subprocess
import sys


def detect(**variables):
    environment = dict(os.environ, LD_LIBRARY_PATH=sys.argv[2], **variables)
    run = subprocess.run([sys.argv[1], "detect", "--json"], env=environment, capture_output=True,
                         text=True, check=True)
    return json.loads(run.stdout)


def signals(machine):
    return {s["name"]: (s["found"], s["detail"]) for s in machine["accelerators"]["cuda"]["signals"]}


machine = detect()
found = signals(machine)
assert found["driver libcuda.so.1"] == (True, "supports CUDA 12.4"), found
assert found["cuInit"][0] and found["cuDeviceGetCount"] == (True, "2 devices"), found
assert found["NVML libnvidia-ml.so.1"] == (True, "driver version 550.54"), found
names = [d["name"] for d in machine["devices"] if d["kind"] == "cuda"]
assert names == ["Pretend GPU A", "Pretend GPU B"], names
assert machine["devices"][-1]["memory_bytes"] == 16 << 30, machine["devices"]

machine = detect(FAKE_CUDA_STATUS="100")
assert signals(machine)["cuInit"] == (False, "returned 100"), signals(machine)
assert not machine["accelerators"]["cuda"]["usable"]
assert machine["accelerators"]["cuda"]["reason"] == "cuInit: returned 100"
assert all(d["kind"] == "cpu" for d in machine["devices"]), machine["devices"]
print("ok")
