#!/usr/bin/env python3
"""As mutate.py, of models, arrays and checkpoints alone, which are only loaded: by the fuzz target of their readers, thousands in
one process. The target ends where a file is not refused with one line, a status that says why and little memory.

    mutate_loads.py BIN_DIR [FILES [SEED]]     BIN_DIR has replay_model_reader, too. A file that ends it is left in
                                               attacks.found in the current folder.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

import file_attack
import model_kinds
import mutations
import tensor_file

AT_A_TIME = 1000
READERS = {"sparse-train": 0, "robe-compress": 1, "gnn-sample": 2, "tgn-train": 3}  # of model_reader_fuzz.cpp
EMBEDDING, CHECKPOINT = 4, 5


def reader_of(metadata):
    """The number of the reader that the file is for, or none."""
    kind = metadata.get("frugal.kind")
    if kind == "model":
        return READERS[metadata["frugal.tool"]]
    return {"embedding": EMBEDDING, "checkpoint": CHECKPOINT}.get(kind)


def load(program, folder):
    """Has all files of the folder loaded; the one that ended the program and what it said, or none."""
    done = subprocess.run([program, folder], stdin=subprocess.DEVNULL, capture_output=True,
                          env={**os.environ, **file_attack.SANITIZED, "OMP_NUM_THREADS": "1"}, timeout=600)
    if done.returncode == 0:
        return None
    last = done.stdout.decode().split("\n")[-2]
    return os.path.join(folder, last), done.stderr.decode("utf-8", "replace")[-2000:]


def main():
    tools = os.path.abspath(sys.argv[1])
    program, number = os.path.join(tools, "replay_model_reader"), int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    here, scratch = os.getcwd(), tempfile.mkdtemp()
    os.chdir(scratch)
    found = []
    try:
        model_kinds.make_seeds(file_attack.runner_of(tools).must_run)
        seeds = [(name, *tensor_file.read(name)) for name in sorted(model_kinds.COMMANDS)]
        seeds = [seed for seed in seeds if reader_of(seed[1]) is not None]
        for first in range(0, number, AT_A_TIME):
            shutil.rmtree("pack", ignore_errors=True)
            os.mkdir("pack")
            changes = {}
            for i in range(first, min(number, first + AT_A_TIME)):
                name, metadata, tensors = seeds[i % len(seeds)]
                reader, metadata, tensors = reader_of(metadata), dict(metadata), dict(tensors)
                changes[f"pack/{i}"] = f"{name}: {mutations.mutate(metadata, tensors, chance)}"
                tensor_file.write("victim.safetensors", metadata, tensors)
                with open("victim.safetensors", "rb") as file, open(f"pack/{i}", "wb") as out:
                    out.write(bytes([reader]) + file.read())
            while (fault := load(program, "pack")) is not None:
                found.append((changes[fault[0]], fault[1]))
                os.makedirs(os.path.join(here, "attacks.found"), exist_ok=True)
                shutil.move(fault[0], os.path.join(here, "attacks.found"))
    finally:
        os.chdir(here)
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{number} files of {len(seeds)} kinds, {len(found)} found")
    for change, message in found:
        print(f"{change}\n   {message.strip()}")
    sys.exit(1 if found else 0)


main()
