"""Whether it is right: facts of the machine, unit tests, CPU beside GPU, NVIDIA's checkers."""
import glob
import os
import re
import subprocess
import sys

import nvidia_tools
from workloads import CPUS, pick

SUITE = {"suite": ("unit_device", "*suite_test*")}
ENGINES = {"robe": ("unit_robe-compress", "*device_trainer_test*"), "sparse": ("unit_sparse-train", "*device_*test*"),
           "gnn": ("unit_gnn-sample", "*device_*test*"), "tgn": ("unit_tgn-train", "*device_*test*")}
PACKAGES = """
for name in ("torch", "torch_geometric", "pyg_lib", "torch_sparse", "triton", "numpy"):
    try: print(name, __import__(name).__version__, end="; ")
    except Exception: print(name, "none", end="; ")"""
SAME = 1e-3  # how far apart losses may be


def shell(command):
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, timeout=30).stdout.strip()


def facts(bench):
    python = bench.steps.start("python", [sys.executable, "-c", PACKAGES])
    bench.row("card", shell("nvidia-smi --query-gpu=name,driver_version,memory.total,memory.used,clocks.sm,clocks.mem,"
                            "temperature.gpu --format=csv,noheader") or "no nvidia-smi")
    bench.row("machine", "; ".join(shell(command) for command in (
        "uname -r", "nproc", "sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1", "ldd --version 2>&1 | head -n 1")))
    bench.row("missing libraries", ", ".join(missing_libraries(bench)) or "none")
    bench.row("cuBLASLt", os.environ.get("CUBLASLT_DIR", "none: products in our tiles"))
    bench.row("tools", f"ncu {bench.ncu or 'none'}, compute-sanitizer {bench.sanitizer or 'none'}")
    bench.figure("plug-in", bench.steps.run("plug-in", 40, [bench.work.program("hw-probe"), "--version", "--json"]),
                 lambda f: "usable {usable}, {reason}, {toolkit}".format_map({"reason": "", "toolkit": "", **f["devices"]["cuda"]}))
    bench.row("python", bench.steps.wait(python, 30).text().strip()[-230:])


def missing_libraries(bench):
    env = {**os.environ, "LD_LIBRARY_PATH": f"{bench.pack}/lib:{os.environ.get('LD_LIBRARY_PATH', '')}"}
    said = [subprocess.run(["ldd", file], capture_output=True, text=True, env=env, check=False).stdout
            for file in glob.glob(bench.pack + "/bin/*") + glob.glob(bench.pack + "/lib/*")]
    return sorted({line.split()[0] for text in said for line in text.splitlines() if "not found" in line})


def cases(bench, programs):
    """{"suite: name of the case": command} of each case of unit tests, whose numbers doctest takes as well as names."""
    jobs = {}
    for name, (program, files) in programs.items():
        command = [bench.work.program(program), f"-sf={files}"]
        listed = bench.steps.run(f"cases of {name}", 20, [*command, "-ltc"]).text().split("=" * 79)
        names = listed[1].strip("\n").split("\n") if len(listed) == 3 else []
        if not names:
            bench.row(f"cases of {name}", "FAILED to list them")
        jobs.update({f"{name}: {case}": [*command, f"--first={i}", f"--last={i}"] for i, case in enumerate(names, 1)})
    return jobs


def suite(bench):
    found = {}
    for step in bench.steps.together(cases(bench, {**SUITE, **ENGINES}), pick(60, 100), CPUS):
        found.setdefault(step.name.split(":")[0], []).append(step)
    for name, steps in found.items():
        bad = [step for step in steps if step.rc != 0]
        longest = max(step.seconds for step in steps)
        bench.row(f"cases of {name}", f"{len(steps) - len(bad)} of {len(steps)} passed, the longest in {longest:.1f} s")
        bench.failed += [step.name for step in bad]
        for step in bad[:6]:  # the others are in logs.txt
            errors = re.findall(r"ERROR: *(.*)", step.text())
            bench.row("  " + step.name, f"FAILED, {len(errors)} errors: {errors[0][:110]}" if errors else step.why())


def agree(bench):
    """Losses of one seed on both devices, which are equal but for roundings. Not with Adam or Adagrad, whose first steps are as
    long for a gradient of rounding errors as for any other, nor with frequencies of times that learn: an event's time is so
    large that the last bit of a frequency changes its phase."""
    work, plain = bench.work, ["--precision", "f32", "--optimizer", "sgd", "--learning-rate", "0.1"]
    if bench.has("robe", "robe test"):
        both(bench, "robe", "loss", lambda device: work.robe(device, pick(2048, 64), 1, *plain))
        both(bench, "robe test", "log_loss", work.robe_test)
    if bench.has("tgn"):
        both(bench, "tgn", "loss", lambda device: work.tgn(device, pick(200, 20), pick(20, 5), "--time-encoder", "fixed", *plain))
    if bench.has("gnn"):
        both(bench, "gnn", "loss", lambda device: work.gnn(device, 1, "--steps", "6", *plain))
    if bench.has("sparse few"):
        both(bench, "sparse", "loss", lambda device: work.sparse(device, "few", pick(1024, 48), 2, *plain))


def both(bench, name, key, command):
    values = []
    for device in ("cpu", "cuda"):
        step = bench.steps.run(f"agree {name} {device}", 60, command(device))
        if step.rc != 0:
            return bench.row(f"agree {name}", f"{device} {step.why()}")
        values.append(step.json()[key])
    cpu, cuda = values
    apart = abs(cpu - cuda) / max(abs(cpu), 1e-9)
    bench.row(f"agree {name}", f"{'same' if apart < SAME else 'DIFFERS'}: {key} {cpu:.6f} cpu, {cuda:.6f} cuda, apart {apart:.1e}")
    bench.report.fact(name=f"agree {name}", cpu=cpu, cuda=cuda)


def checkers(bench):
    if not bench.sanitizer:
        return bench.row("checkers", "no compute-sanitizer")
    found, ended = {}, {}  # steps with errors, and how each step ended, of each checker
    for step in bench.steps.together(checks(bench), 60, max(2, CPUS - 2)):
        tool = step.name.split(" of ")[0]
        count, first = nvidia_tools.findings(step.text())
        ended.setdefault(tool, []).append("whole" if count is not None else step.state())
        if count or first:
            found.setdefault(tool, []).append((step.name, count, first))
    for tool, states in ended.items():
        cut = "".join(f", {states.count(state)}: {state}" for state in sorted(set(states) - {"whole"}))
        bench.row(tool, f"{len(found.get(tool, []))} of {len(states)} cases with errors; to their end: {states.count('whole')}{cut}")
        for name, count, first in found.get(tool, [])[:5]:
            bench.row("  " + name.split(" of ", 1)[1], f"{'?' if count is None else count} errors: {first[:120]}")


def checks(bench):
    """{"memcheck of suite: name of the case": command}, what tells most first."""
    ours, engines = cases(bench, SUITE), cases(bench, ENGINES)
    failed = {name: command for name, command in {**ours, **engines}.items() if name in bench.failed}
    plan = [("memcheck", failed), *((tool, ours) for tool in nvidia_tools.CHECKERS), ("memcheck", engines)]
    return {f"{tool} of {name}": nvidia_tools.check(bench.sanitizer, tool, command)
            for tool, commands in plan for name, command in commands.items()}
