"""A command that is attacked, and what it must leave behind whatever happens."""
import os
import re
import shutil

from tool_runner import ALLOWED

TIMES = re.compile(rb'"[a-z_]*(seconds?)":\s*[-+.e0-9]+|(?<=,)[-+.e0-9]+,[-+.e0-9]+(?=,int8,)')  # measured; in JSON, in CSV
MEASURES = ("hw-probe detect", "hw-probe bench", "gnn-sample bench")  # whose answers say what this machine lets them see
APPENDING = ("tgn-train sweep",)  # which adds lines to its output, and goes on from what it has
KEPT = {"run.ckpt", "run.ckpt.prev"}  # of an ended run, for the next
HIDDEN = re.compile(r"\..+\.lock|run\.ckpt\.prev\.new")  # of a run that ended at once; the next takes or removes them


def content(path):
    with open(path, "rb") as file:
        return TIMES.sub(b"", file.read())


def empty_folder():
    for name in os.listdir("."):
        shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)


class Victim:
    """`right`: answers and output of a run that nobody disturbs; `expected`: the files it leaves."""

    def __init__(self, runner, line):
        self.runner, self.line = runner, line
        command, _, self.input = line.partition(" < ")
        self.words = command.split()
        self.name = " ".join(self.words[:2])
        self.output = next((word for word in self.words if re.fullmatch(r"out(\.(?!d\b)\w+)?", word)), None)

    def result(self, words=None, **how):
        """Status, message, answers and output."""
        status, message, answers = self.runner.run_whole(words or self.words, self.input or os.devnull, **how)
        output = content(self.output) if self.output and os.path.isfile(self.output) else None
        return status, message, b"" if self.name in MEASURES else TIMES.sub(b"", answers or b""), output

    def learn(self):
        empty_folder()
        status, message, *self.right = self.result()
        if status != 0:
            raise RuntimeError(f"{self.line}: {status}\n{message}")
        self.expected = set(os.listdir("."))

    def prepare(self):
        """A folder with nothing but a former output."""
        empty_folder()
        if self.output and self.name not in APPENDING:
            with open(self.output, "wb") as file:
                file.write(b"former")

    def is_whole(self, output):
        """Whether a run that failed left what was there before, or all that it writes."""
        if self.name in APPENDING:
            return output is None or (output == b"" or output[:20] == self.right[1][:20])
        return output in (b"former", self.right[1])

    def faults(self, status, message, result):
        """What is wrong with a disturbed run."""
        found = []
        if status not in ALLOWED:
            found.append(f"status {status}")
        if status != 0 and not message.strip():
            found.append("no message")
        if status == 0 and result != self.right:
            found.append("a wrong result")
        if status != 0 and self.output and not self.is_whole(result[1]):
            found.append("the former output is lost" if result[1] is None else "a wrong output")
        left = sorted(set(os.listdir(".")) - self.expected - KEPT)
        if status != 0:
            left = [name for name in left if not HIDDEN.fullmatch(name)]
        if left:
            found.append("left behind: " + ", ".join(left))
        return found
