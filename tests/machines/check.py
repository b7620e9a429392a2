#!/usr/bin/env python3
"""Runs hw-probe on every recorded machine and compares text and JSON with what is expected.

  check.py BIN_DIR      UPDATE=1 in the environment writes the expected files instead
"""
import glob
import os
import subprocess
import sys
import tempfile

from machine import unpack

here = os.path.dirname(os.path.abspath(__file__))
program = os.path.join(sys.argv[1], "hw-probe")
# Nothing of this machine's environment but what starts the program, by an emulator too.
environment = {k: v for k, v in os.environ.items() if k == "PATH" or k.startswith("QEMU_")} | {"LC_ALL": "C"}
failed = 0
for recording in sorted(glob.glob(here + "/*.machine")):
    with tempfile.TemporaryDirectory() as root:
        unpack(recording, root)
        for suffix, option in ((".txt", "text"), (".json", "json"), (".env", "env")):
            run = subprocess.run([program, "detect", "--sysroot", root, "--format", option],
                                 env=environment, capture_output=True, text=True, check=False)
            got = run.stdout + run.stderr
            expected_path = recording.replace(".machine", suffix)
            if os.environ.get("UPDATE"):
                with open(expected_path, "w", encoding="utf-8") as file:
                    file.write(got)
                continue
            with open(expected_path, encoding="utf-8") as file:
                expected = file.read()
            if run.returncode != 0 or got != expected:
                failed += 1
                print("FAILED:", expected_path, "status", run.returncode)
                for want, have in zip(expected.splitlines(), got.splitlines()):
                    if want != have:
                        print("  expected:", want, "\n  found:   ", have)
print(failed, "failed")
sys.exit(failed != 0)
