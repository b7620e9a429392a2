"""NVIDIA's tools: where they are, how they are called and what they print."""
import collections
import csv
import glob
import re
import shutil
import site
import subprocess
import sys
import threading
import time

import steps

PLACES = {"ncu": ["/usr/local/cuda*/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu"],
          "compute-sanitizer": ["/usr/local/cuda*/bin/compute-sanitizer", "/usr/local/cuda*/compute-sanitizer/compute-sanitizer"]}
MICROSECONDS = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3, "s": 1e6, "second": 1e6}
CHECKERS = ["memcheck", "racecheck", "initcheck", "synccheck"]
FOUND = re.compile(r"Invalid|hazard|Uninitialized|Barrier|Program hit|Race|Error:|fault|Out-of-range", re.I)
LEAN = ["--clock-control", "none", "--cache-control", "none", "--target-processes", "all"]  # nothing of the card is changed


def find_tool(name):
    """The tool's path, or None."""
    return shutil.which(name) or next((path for place in PLACES.get(name, []) for path in sorted(glob.glob(place))[::-1]), None)


def find_cublaslt():
    """The folder of the newest cuBLASLt, which PyTorch's packages bring, or None."""
    folders = [f"{folder}/nvidia/**" for folder in {*site.getsitepackages(), *filter(None, sys.path)}]
    folders += ["/usr/local/cuda*/lib64", "/usr/local/cuda*/targets/x86_64-linux/lib"]
    found = [path for folder in folders for path in glob.glob(folder + "/libcublasLt.so.1[23]", recursive=True)]
    return max(found, key=lambda path: path[-2:]).rpartition("/")[0] if found else None


class Watch:
    """What nvidia-smi sees twice a second: memory in MiB, utilisation in %, clock in MHz. It runs until `live` is killed."""
    COMMAND = ["nvidia-smi", "--query-gpu=memory.used,utilization.gpu,clocks.sm", "--format=csv,noheader,nounits", "-lms", "500"]

    def __init__(self, live):
        self.seen = []
        if shutil.which("nvidia-smi"):
            process = subprocess.Popen(self.COMMAND, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **steps.GROUP)
            live.add(process)
            threading.Thread(target=self.read, args=[process.stdout], daemon=True).start()

    def read(self, lines):
        for line in lines:
            try:
                self.seen.append((time.time(), [float(number) for number in line.split(",")]))
            except ValueError:  # "[N/A]"
                continue

    def words(self, step):
        """Memory, utilisation and clock of the card while a step ran, for a row; empty if nothing was seen."""
        seen = [numbers for when, numbers in self.seen if step.began <= when <= step.began + step.seconds]
        if not seen:
            return ""
        memory, busy, clocks = zip(*seen)
        return f", most memory {max(memory):.0f} MiB, busy at most {max(busy):.0f} %, {max(clocks):.0f} MHz"


def profile(ncu, count, skip, command):
    """ncu's command that times `count` kernels after the first `skip`. One metric, so each kernel runs once."""
    return [ncu, *LEAN, "--print-units", "base", "--metrics", "gpu__time_duration.sum", "--csv", "-s", str(skip), "-c", str(count),
            *command]


def explain(ncu, kernels, command):
    """ncu's command that says what holds back six launches of kernels, by their names without namespaces."""
    sections = ("SpeedOfLight", "Occupancy", "WarpStateStats", "MemoryWorkloadAnalysis")
    return [ncu, *LEAN, *(word for section in sections for word in ("--section", section)),
            "-k", "regex:" + "|".join(map(re.escape, kernels)), "-c", "6", *command]


def kernel_name(text):
    """A kernel's name without return type, namespaces and parameters; template arguments stay."""
    text = re.sub(r"\((?:bool|int|unsigned int|unsigned long)\)", "", text).strip()
    if text.endswith(")"):  # the list of parameters is the last pair of brackets
        depth = 0
        for i in range(len(text) - 1, -1, -1):
            depth += (text[i] == ")") - (text[i] == "(")
            if depth == 0:
                text = text[:i]
                break
    return re.sub(r"^\s*void\s+|\bfrugal::|\bcuda::|\(anonymous namespace\)::|<unnamed>::|\bcub::\w*::|\bcub::", "", text).strip()


def kernel_times(text):
    """{(kernel, grid, block): [microseconds of each launch]} of what ncu --csv printed among other things."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID",')), len(lines))
    times = collections.defaultdict(list)
    for row in csv.DictReader(line for line in lines[begin:] if line.startswith('"')):
        try:
            value = float(row["Metric Value"].replace(",", "")) * MICROSECONDS[row["Metric Unit"]]
        except (KeyError, ValueError, AttributeError):
            continue
        shape = [re.sub(r"[() ]", "", row.get(name) or "").replace(",", "x") for name in ("Grid Size", "Block Size")]
        times[(kernel_name(row["Kernel Name"]), *shape)].append(value)
    return times


def by_kernel(times):
    """[(kernel, [microseconds of each launch])], the longest together first."""
    merged = collections.defaultdict(list)
    for (kernel, _, _), values in times.items():
        merged[kernel] += values
    return sorted(merged.items(), key=lambda item: -sum(item[1]))


def check(sanitizer, tool, command):
    return [sanitizer, "--tool", tool, "--error-exitcode", "9", "--print-limit", "20", "--target-processes", "all", *command]


def findings(text):
    """(number of errors, or None where the checker did not come to its summary; the first error's line, or "")."""
    lines = [line[9:].strip() for line in text.splitlines() if line.startswith("=========")]
    counts = [re.search(r"SUMMARY: *(\d+)", line) for line in lines]
    counts = [int(count[1]) for count in counts if count]
    first = next((line for line in lines if FOUND.search(line) and "SUMMARY" not in line), "")
    return sum(counts) if counts else None, first
