"""What all parts of a first run share: programs, data, tools, and rows of what a step's JSON says."""
import glob
import os
import tarfile

import nvidia_tools
import workloads
from steps import Steps


def unpacked(pack):
    """The folder of a pack, which may be an archive."""
    if os.path.isdir(pack):
        return os.path.abspath(pack)
    folder = workloads.WORK + "/pack"
    with tarfile.open(pack) as archive:
        archive.extraction_filter = lambda member, _: member  # Python 3.12 warns where none is chosen
        archive.extractall(folder)
    return folder


class Bench:
    """Paths and steps of one run; `failed` and `slowest` are notes of a part for later ones."""
    def __init__(self, pack, report, budget):
        self.report, self.row = report, report.row
        self.steps = Steps(report, workloads.WORK + "/logs", budget)
        self.pack = unpacked(pack)
        self.work = workloads.Workloads(self.pack + "/run")
        self.watch = nvidia_tools.Watch(self.steps.live)
        self.ncu, self.sanitizer = nvidia_tools.find_tool("ncu"), nvidia_tools.find_tool("compute-sanitizer")
        self.data, self.made = {}, {}
        self.failed = []  # names of unit tests
        self.slowest = []  # names of kernels
        folder = nvidia_tools.find_cublaslt()
        if folder and glob.glob("/dev/nvidia*"):
            os.environ["CUBLASLT_DIR"] = folder  # our starters read it

    def make_data(self):
        """Starts the programs that make the data: the first parts need the GPU, not the CPU."""
        for name, command in self.work.data().items():
            self.data[name] = self.steps.start("data " + name, command)

    def has(self, *names):
        """Waits for data. Returns False, with a row, if they could not be made."""
        for name in names:
            if name not in self.made:
                step = self.steps.wait(self.data[name], 120)
                self.made[name] = step.rc == 0
                self.report.log(step, 1000)
                if step.rc != 0:
                    self.row("data for " + name, step.why())
        return all(self.made[name] for name in names)

    def figure(self, name, step, say):
        """A row of what say() makes of a step's JSON, which it returns; None, with a row, if the step failed."""
        if step.rc != 0:
            return self.row(name, step.why())
        try:
            found = step.json()
            self.row(name, say(found) + self.watch.words(step))
        except (ValueError, KeyError, TypeError) as error:
            return self.row(name, f"FAILED to read its JSON: {error!r}")
        self.report.fact(name=name, **{key: value for key, value in found.items() if isinstance(value, (int, float, str, bool))})
        return found


def in_steps(found):
    """Milliseconds a step, and the share of them in which the device computes, of a command's JSON."""
    words = f", {1e3 * found['fit_seconds'] / found['steps']:.3f} ms a step" if found.get("steps") else ""
    busy = found.get("device_busy_seconds")
    return words + (f", device busy {100 * busy / found['fit_seconds']:.0f} %" if busy else "")
