#!/usr/bin/env python3
"""Kills sparse-train at random moments and lets it go on: the model must be equal to the bit to that of a
run that nobody disturbed. kill_resume.py SPARSE_TRAIN [kills]"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time

program = os.path.abspath(sys.argv[1])
kills_wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 20
random.seed(1)
outputs = ("dense", "shared", "shared --label-weights bf16")
environment = dict(os.environ, SOURCE_DATE_EPOCH="0")


def write_data(path, examples=1500, labels=200):
    with open(path, "w") as out:
        out.write(f"{examples} {2 * labels} {labels}\n")
        for _ in range(examples):
            label = random.randrange(labels)
            features = sorted({2 * label, 2 * label + 1, random.randrange(2 * labels)})
            out.write(f"{label},{(label + 1) % labels} " + " ".join(f"{f}:1" for f in features) + "\n")


def start(folder, output):
    command = [program, "train", "../data.txt", "-o", "model", "--output", *output.split(), "--epochs", "6", "-q",
               "--batch-size", "16", "--checkpoint", "run.ckpt", "--checkpoint-every", "15ms", "--resume",
               "--deterministic"]
    os.makedirs(folder, exist_ok=True)
    return subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE)


def finish(process, expected=0):
    _, errors = process.communicate(timeout=120)
    if process.returncode != expected:
        sys.exit(f"exit status {process.returncode}, expected {expected}: {errors.decode()}")
    return errors.decode()


def content(folder):
    with open(os.path.join(folder, "model"), "rb") as model:
        return model.read()


def undisturbed(output):
    began = time.monotonic()
    finish(start(output, output))
    return content(output), time.monotonic() - began


def check_left(name, hidden):
    """Only between kills may a hidden temporary be left, by one between linkat and rename: the next run removes it."""
    left = set(os.listdir(name)) - {"run.ckpt", "run.ckpt.prev", "run.ckpt.prev.new", "model"}
    left = {file for file in left if not any(file.startswith(prefix) for prefix in hidden)}
    if left:
        sys.exit(f"a killed run left {left} behind")


def kill_until_done(name, output, duration, kills):
    """One run with up to `kills` kills; returns how many there were and how long such a run takes at most."""
    done = 0
    while done < kills:
        began = time.monotonic()
        process = start(name, output)
        try:
            process.wait(random.uniform(0, duration))
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        if process.returncode == 0:
            duration = min(duration, time.monotonic() - began)  # the first may have run on a busy machine
            break
        done += 1
        check_left(name, {".run.ckpt.tmp.", ".model.tmp."})
    else:
        finish(start(name, output))
    check_left(name, set())
    return done, duration


def check_kills():
    reference = {output: undisturbed(output) for output in outputs}
    kills = run = 0
    while kills < kills_wanted:
        output = outputs[run % len(outputs)]
        expected, duration = reference[output]
        done, duration = kill_until_done(f"run{run}", output, duration, min(4, kills_wanted - kills))
        kills += done
        reference[output] = expected, duration
        if content(f"run{run}") != expected:
            sys.exit(f"run {run} ({output}): the model differs from that of the undisturbed run")
        run += 1
    print(f"{kills} kills in {run} runs: all models equal")
    return reference


def checkpoint_time(folder):
    try:
        return os.stat(os.path.join(folder, "run.ckpt")).st_mtime_ns
    except FileNotFoundError:
        return None


def check_signals(reference):
    """TERM: a checkpoint and exit status 75; USR1: a checkpoint, and the run goes on."""
    for output, (expected, duration) in reference.items():
        name = f"signals-{output}"
        stopped = 0
        for _ in range(3):
            before = checkpoint_time(name)
            process = start(name, output)
            while checkpoint_time(name) == before and process.poll() is None:
                time.sleep(0.002)  # once it writes checkpoints, it handles signals
            process.send_signal(signal.SIGUSR1)
            time.sleep(duration / 8)
            process.send_signal(signal.SIGTERM)
            process.communicate()
            if process.returncode not in (0, 75):
                sys.exit(f"after TERM: exit status {process.returncode}, expected 75")
            stopped += process.returncode == 75
        finish(start(name, output))
        if content(name) != expected:
            sys.exit(f"{name}: the model differs from that of the undisturbed run")
        print(f"{output}: stopped {stopped} times, model equal")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    write_data("data.txt")
    check_signals(check_kills())
