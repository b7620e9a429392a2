#!/usr/bin/env python3
"""How much of wrong code the tests notice: draws mutants of libcore and tools by a seed, compiles all of them once, runs
each against the tests that reach it, and prints killed and survived by module. A run that was stopped goes on.
Exit status 1 where less than --least of the mutants that are not equivalent are killed."""

import argparse
import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import build
import checks

HERE = os.path.dirname(os.path.abspath(__file__))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", default="build/mutants", help="where the mutated build and the results go")
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--least", type=float, default=90, help="percent of the mutants to be killed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--modules", help="only of these, as in libcore/tensors,tools/tensor-file, and "
                        "with their own tests only: a look at what a change needs")
    parser.add_argument("--keep-killed", action="store_true", help="runs only what survived the tests as they were before")
    return parser.parse_args()


def read_equivalents():
    """Mutants that cannot be noticed, by name, with the reason: FILE, KIND, DESCRIPTION, REASON with tabs between."""
    with open(os.path.join(HERE, "equivalent.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    return {"\t".join(row[:3]): row[3] for row in rows}


def forget(folder, keep_killed):
    """The verdicts of tests or code that have changed."""
    path = os.path.join(folder, "results.jsonl")
    kept = [row for row in read_rows(path) if keep_killed and row["verdict"] not in ("survived", "unreached")]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in kept)


def read_rows(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def targets_of(modules):
    """Programs that test a module of libcore or a tool: its unit tests, and the tool or one that shows the module."""
    targets = set()
    for kind, name in (m.split("/") for m in modules):
        targets.update({f"unit_{name}", name if kind == "tools" else "tensor-file"})
    return sorted(targets)


def make_build(options, folder):
    """The mutants that compile and the checks, from the folder where a run has left them."""
    project = build.MutatedBuild(os.path.dirname(os.path.dirname(HERE)), folder)
    modules = options.modules.split(",") if options.modules else []
    mutants = [m for m in project.draw(options.seed, options.mutants) if not modules or m.module in modules]
    state = os.path.join(folder, "checks.json")
    if os.path.exists(state):
        with open(state, encoding="utf-8") as file:
            known = json.load(file)
        if known["project"] == project.fingerprint() and known["modules"] == modules:
            compiled = set(known["compiled"])
            return [m for m in mutants if m.id in compiled], [checks.Check.from_state(c) for c in known["checks"]]
    drawn = len(mutants)
    forget(folder, options.keep_killed)
    project.write(mutants)
    project.configure()
    mutants = project.compile(mutants, options.jobs, targets_of(modules) if modules else ["all"])
    print(f"{len(mutants)} of {drawn} mutants compiled; what reaches them is traced", flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        found = checks.all_checks(project.source, project.build, pool)
    with open(state, "w", encoding="utf-8") as file:
        json.dump({"project": project.fingerprint(), "modules": modules, "compiled": [m.id for m in mutants],
                   "checks": [c.state() for c in found]}, file)
    return mutants, found


def order_of(mutant, check):
    """Unit tests of its own module first, then the cheapest."""
    return (not check.name.startswith(f"unit.{mutant.module.split('/')[1]}:"), check.cost)


def judge(mutant, all_checks):
    """The check that kills the mutant, `survived`, or `unreached`."""
    reaching = sorted((c for c in all_checks if mutant.id in c.reached), key=lambda c: order_of(mutant, c))
    for check in reaching:
        status, _ = check.run(mutant.id)
        if status != 0 and check.run(None)[0] == 0:  # a check that fails without the mutant, too, tells nothing
            return check.name
    return "survived" if reaching else "unreached"


def judge_all(mutants, all_checks, folder, jobs):
    path = os.path.join(folder, "results.jsonl")
    done = {row["mutant"]: row["verdict"] for row in read_rows(path)}
    lock = threading.Lock()

    def one(mutant):
        if mutant.name not in done:
            verdict = judge(mutant, all_checks)
            with lock, open(path, "a", encoding="utf-8") as file:
                done[mutant.name] = verdict
                file.write(json.dumps({"mutant": mutant.name, "verdict": verdict}) + "\n")

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, mutants))
    return done


def print_table(mutants, verdicts, equivalents):
    """Prints the table and every survivor; returns the share that was killed."""
    rows = {}
    for mutant in mutants:
        verdict = verdicts[mutant.name]
        kind = "equivalent" if mutant.name in equivalents else verdict if verdict in ("survived", "unreached") else "killed"
        for name in (mutant.module, "all"):
            rows.setdefault(name, dict.fromkeys(("killed", "survived", "unreached", "equivalent"), 0))[kind] += 1
        if kind in ("survived", "unreached"):
            print(f"{kind}: {mutant.file}:{mutant.line}: {mutant.kind}: {mutant.description}")
    print(f"{'module':24}{'killed':>8}{'survived':>10}{'unreached':>11}{'equivalent':>12}{'killed %':>10}")
    for name, row in sorted(rows.items(), key=lambda r: (r[0] == "all", r[0])):
        share = 100 * row["killed"] / max(1, row["killed"] + row["survived"] + row["unreached"])
        print(f"{name:24}{row['killed']:8}{row['survived']:10}{row['unreached']:11}{row['equivalent']:12}{share:10.1f}")
    return share


def main():
    options = parse_arguments()
    folder = os.path.abspath(options.folder)
    os.makedirs(folder, exist_ok=True)
    mutants, found = make_build(options, folder)
    verdicts = judge_all(mutants, found, folder, options.jobs)
    share = print_table(mutants, verdicts, read_equivalents())
    if share < options.least:
        sys.exit(f"{share:.1f} % of the mutants are killed, expected at least {options.least:g} %")


if __name__ == "__main__":
    main()
