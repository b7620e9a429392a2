#!/usr/bin/env python3
"""Runs every command that describes what --json prints, and compares the keys of its object with the manual page:
each key is described, and each key that the page says is always there is there.

    result_keys.py BIN_DIR
"""
import json
import os
import re
import subprocess
import sys
import tempfile

DATA = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/data"))
TOOLS = ["sparse-train", "robe-compress", "gnn-sample", "tgn-train", "hw-probe", "tensor-file"]
TEXT, CLICKS, LABELS, NOUNS = (os.path.join(DATA, name) for name in (
    "text-wordnet-lexnames", "ctr-insteval", "xmc-wordnet-hypernyms", "graph-wordnet-nouns"))

# Commands in order: later ones use what earlier ones wrote. A command may come several times, for its cases.
COMMANDS = f"""
sparse-train train {TEXT}/test.csv.zst -o text.model --max-memory 1G --validation {TEXT}/test.csv.zst
sparse-train train {LABELS}/test.txt.zst -o trees.model --architecture hybrid --trees 1 --epochs 1
sparse-train train {LABELS}/test.txt.zst -o lsh.model --architecture lsh --epochs 1
sparse-train eval text.model {TEXT}/test.csv.zst
sparse-train predict text.model {TEXT}/test.csv.zst -o text.out
sparse-train info text.model
sparse-train info trees.model
sparse-train tune {TEXT}/test.csv.zst --trials 1 --budget 1m -o tuned.yaml
sparse-train convert {TEXT}/test.csv.zst -o text.safetensors
robe-compress generate --samples 2000 -o clicks.tsv
robe-compress train {CLICKS}/test.csv.zst --positive y>=4 -o clicks.model --held-out last:0.2 --epochs 1
robe-compress train clicks.tsv -o full.model --method full --epochs 1 --architecture dlrm --storage f32
robe-compress eval clicks.model {CLICKS}/test.csv.zst
robe-compress predict clicks.model {CLICKS}/test.csv.zst -o clicks.out
robe-compress compress full.model -o small.model --compression 10 --fine-tune clicks.tsv --validation clicks.tsv
robe-compress expand small.model -o tables.safetensors
robe-compress lookup small.model --table C1 ids.txt -o rows.npy
robe-compress sweep clicks.tsv --held-out last:0.2 --method robe --compression 10 --epochs 1
gnn-sample import {NOUNS}/edges.csv.zst --features {NOUNS}/features.libsvm.zst --split {NOUNS}/split.txt.zst -o nouns.safetensors
gnn-sample generate -o small.safetensors --nodes 500 --degree 4
gnn-sample train small.safetensors -o sage.model --epochs 1 --fanouts 3,3
gnn-sample train small.safetensors -o links.model --task links --epochs 1 --fanouts 3,3
gnn-sample sample small.safetensors -o batches.tzs --fanouts 3,3
gnn-sample eval sage.model small.safetensors
gnn-sample predict sage.model small.safetensors -o classes.safetensors
gnn-sample bench small.safetensors --fanouts 3,3 --rounds 1 --features
gnn-sample partition small.safetensors --parts 2 -o parts.safetensors
gnn-sample export --ipu sage.model small.safetensors -o sage.ipu.safetensors
tgn-train generate -o stream.safetensors --scale 10
tgn-train import events.csv -o labelled.safetensors
tgn-train train stream.safetensors -o tgn.model --epochs 1
tgn-train train labelled.safetensors -o base.model --epochs 1
tgn-train train labelled.safetensors -o alone.model --task event-label --epochs 1
tgn-train train labelled.safetensors -o labels.model --task node-label --from base.model --epochs 1
tgn-train train stream.safetensors -o pyg.model --architecture pyg --memory exact --epochs 1
tgn-train eval tgn.model stream.safetensors
tgn-train eval labels.model labelled.safetensors
tgn-train train-affinity labelled.safetensors -o affinity.model
tgn-train eval-affinity affinity.model labelled.safetensors
tgn-train predict-affinity affinity.model labelled.safetensors -o next.csv
tgn-train predict base.model later.csv --history labelled.safetensors -o answers.csv
tgn-train embed tgn.model stream.safetensors -o embedded.safetensors
tgn-train sweep stream.safetensors --batch-size 200 --precision f32 --memory window --epochs 1
tgn-train export --ipu pyg.model stream.safetensors -o tgn.ipu.safetensors
hw-probe detect
hw-probe detect --diff machine.json machine.json
hw-probe bench --quick --only gemm
hw-probe advise tgn-wikipedia-10 --machines c7g.8xlarge
hw-probe calibrate log.jsonl --held-out log.jsonl --machine slow.yaml -o efficiencies.yaml
tensor-file info text.safetensors
tensor-file convert text.safetensors text.safetensors.zst
tensor-file verify text.safetensors.zst
tensor-file diff text.safetensors text.safetensors.zst
"""


def described(program, command):
    """The keys of the page as {name: True where it is always there}; none: the page has no section JSON."""
    page = subprocess.run([program, "--generate", "man", command], check=True, capture_output=True, text=True).stdout
    section = re.search(r"^\.SH JSON\n(.*?)(?=^\.SH )", page, re.M | re.S)
    keys, always = {}, True
    for line in section[1].splitlines() if section else ():
        if line.startswith(".SS "):
            always = False
        elif line.startswith(".B "):
            keys[line[3:].replace("\\-", "-")] = always
    return keys


def main():
    tools = {tool: os.path.join(os.path.abspath(sys.argv[1]), tool) for tool in TOOLS}
    pages = {}
    for tool, program in tools.items():
        schema = json.loads(subprocess.run([program, "--generate", "json-schema"], check=True, capture_output=True).stdout)
        pages.update({(tool, command): described(program, command) for command in schema["$defs"]})
    status, seen = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("ids.txt", "w", encoding="utf-8") as file:
            file.write("0\n1\n")
        with open("slow.yaml", "w", encoding="utf-8") as file:
            file.write("title: slow\ndate: 2026-11-28\nhost: {f32-gflops: 1, level-bytes: [1.0e9], level-gb-per-s: [1], "
                       "level-ns: [100], level-in-flight: [1]}\n")
        with open("log.jsonl", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in (
                {"type": "run", "tool": "tgn-train", "command": "train", "config": "batch-size: 10\nmemory-dim: 16\nneighbors: 10\n"},
                {"type": "metric", "step": 1, "wall": 0.1, "loss": 1},
                {"type": "result", "steps": 20, "resumed_from_step": 0, "train_events": 1000, "nodes": 10, "parameters": 10000,
                 "fit_seconds": 0.1928}))
        for name, first in (("events.csv", 0), ("later.csv", 300)):
            with open(name, "w", encoding="utf-8") as file:
                file.writelines(f"{i % 7},{20 + i % 5},{i},{i % 3 // 2}\n" for i in range(first, first + 300))
        for line in COMMANDS.strip().splitlines():
            tool, command, *words = line.split()
            run = subprocess.run([tools[tool], command, *words, "-q", "--json", "--threads", "2"], capture_output=True, text=True)
            if run.returncode:
                sys.exit(f"{line}: exit status {run.returncode}: {run.stderr}")
            result = json.loads(run.stdout)
            keys = pages[tool, command]
            seen.setdefault((tool, command), set()).update(result)
            for key in result.keys() - keys.keys() - {"schema"}:
                status = 1
                print(f"{line}: the manual page does not describe the key {key}")
            for key in (key for key, always in keys.items() if always and key not in result):
                status = 1
                print(f"{line}: the manual page says that there is always a key {key}")
            if (tool, command) == ("hw-probe", "detect") and not words:
                with open("machine.json", "w", encoding="utf-8") as file:
                    file.write(run.stdout)
    for (tool, command), keys in pages.items():
        if keys and (tool, command) not in seen:
            status = 1
            print(f"{tool} {command} describes results, and is not run here")
    sys.exit(status)


main()
