"""What can kill a mutant: cases of unit tests, command-line cases, other tests of ctest. Each knows what it reaches."""

import json
import os
import re
import signal
import subprocess
import tempfile
import time

MAX_MUTANTS = 1 << 16  # as in mutant_switch.cpp
LEFT_OUT = re.compile(r"^(rules|bench)\.|^unit\..*\.(v2|v3|limited)$|^packages$")  # of texts, speed, repeated, linked anew


def environment(**more):
    plain = {k: v for k, v in os.environ.items() if not k.startswith("FRUGAL_MUTANT")}
    return dict(plain, OMP_WAIT_POLICY="passive", **more)


def run(command, env, limit, folder):
    """The exit status, or `timeout`, and the output. A run over its limit is killed with its children."""
    process = subprocess.Popen(command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=limit)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "timeout", b""


class Check:
    """A command that ends with 0 on right code. `cost`: its seconds there; `reached`: ids of mutants."""

    def __init__(self, name, command, more_environment=None):
        self.name, self.command, self.more_environment = name, command, more_environment or {}
        self.cost, self.reached = 0.0, set()

    def run(self, mutant, reached_file=None):
        env = environment(**self.more_environment)
        if mutant:
            env["FRUGAL_MUTANT"] = str(mutant)
        if reached_file:
            env["FRUGAL_MUTANTS_REACHED"] = reached_file
        with tempfile.TemporaryDirectory(prefix="mutant.") as folder:
            return run(self.command, env, 20 + 12 * self.cost if self.cost else 900, folder)

    def trace(self):
        """Runs it on right code; whether it passed."""
        with tempfile.NamedTemporaryFile(prefix="reached.") as file:
            file.truncate(MAX_MUTANTS)
            began = time.monotonic()
            status, output = self.run(None, file.name)
            self.cost = time.monotonic() - began
            self.reached = {id for id, byte in enumerate(open(file.name, "rb").read()) if byte}
        if status != 0:
            said = output.decode(errors="replace")[-600:]
            print(f"{self.name} fails without a mutant and is left out:\n{said}", flush=True)
        return status == 0

    def state(self):
        return {"name": self.name, "command": self.command, "environment": self.more_environment, "cost": self.cost,
                "reached": sorted(self.reached)}

    @staticmethod
    def from_state(state):
        check = Check(state["name"], state["command"], state["environment"])
        check.cost, check.reached = state["cost"], set(state["reached"])
        return check


def pattern(name):
    """A test case's name as doctest's filters take it: a comma would end the pattern."""
    return re.sub(r"[^A-Za-z0-9 _.=-]", "?", name)


def unit_checks(program, name):
    """One a test case, from one run that traces all."""
    with tempfile.TemporaryDirectory(prefix="mutant.") as folder:
        cases = os.path.join(folder, "cases")
        status, output = run([program], environment(FRUGAL_MUTANTS_BY_CASE=cases), 1800, folder)
        if status != 0:
            print(f"{name} fails without a mutant:\n{output.decode(errors='replace')[-600:]}", flush=True)
            return []
        checks = []
        for line in open(cases, encoding="utf-8", errors="replace"):
            seconds, case, ids = line.rstrip("\n").split("\t")
            check = Check(f"{name}: {case}", [program, f"--test-case={pattern(case)}", "--abort-after=1", "--no-version"])
            check.cost, check.reached = float(seconds), {int(i) for i in ids.split()}
            checks.append(check)
        return checks


def case_checks(source, programs, folder):
    """One a command-line case of tests/cli/cases/FOLDER."""
    cases = sorted(os.listdir(os.path.join(source, "tests/cli/cases", folder)))
    runner = os.path.join(source, "tests/cli/run.sh")
    names = [case[:-3] for case in cases if case.endswith(".sh")]
    return [Check(f"cli.{folder}: {name}", [runner, programs, folder, name]) for name in names]


def list_tests(build):
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, check=True)
    for test in json.loads(listed.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        if "command" in test and not LEFT_OUT.search(test["name"]) and "bench" not in properties.get("LABELS", []):
            variables = dict(v.split("=", 1) for v in properties.get("ENVIRONMENT", []))
            yield test["name"], test["command"], variables, bool(properties.get("RUN_SERIAL"))


def is_built(name, command, programs):
    """A part of the project has no programs for the tests of others."""
    if name.startswith("cli."):
        return os.path.exists(os.path.join(programs, re.sub("-slow$", "", name[4:])))
    return all(os.path.exists(word) for word in command if word.startswith(programs + "/"))


def traced(check):
    return [check] if check.trace() else []


def all_checks(source, build, pool):
    """Every check with what it reaches; those that need the machine to themselves run last, alone."""
    programs = os.path.join(build, "bin")
    futures, alone = [], []
    for name, command, variables, serial in list_tests(build):
        if not is_built(name, command, programs):
            continue
        if name.startswith("unit."):
            futures.append(pool.submit(unit_checks, command[0], name))
        elif name.startswith("cli."):
            futures += [pool.submit(traced, check) for check in case_checks(source, programs, name[4:])]
        elif serial:
            alone.append(Check(name, command, variables))
        else:
            futures.append(pool.submit(traced, Check(name, command, variables)))
    checks = [check for future in futures for check in future.result()]
    return checks + [check for one in alone for check in traced(one)]
