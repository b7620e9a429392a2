"""Runs commands within a budget of seconds and reports what they say as they go.

A report has four files: table.txt, a row for each figure; first.jsonl, a JSON object for each step and figure; logs.txt, the
end of what each command said; kernels.csv, which a caller writes. A step that fails is a row and does not stop the next.
"""
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

# A group of its own lets a step be stopped with its children, yet not outlive this session.
GROUP = {"process_group": 0} if sys.version_info >= (3, 11) else {"start_new_session": True}
LEAST_SECONDS = 3  # for a step that begins
TROUBLE = re.compile(r"error|fail|lost|abort|exception|cannot|not found|no kernels", re.I)


class Report:
    """Table, facts and logs in a folder."""
    def __init__(self, folder):
        self.folder, self.began, self.rows, self.lock = folder, time.time(), [], threading.Lock()
        os.makedirs(folder, exist_ok=True)

    def seconds(self):
        return time.time() - self.began

    def row(self, name, text):
        with self.lock:
            self.rows.append(f"{name:<40} {text}")
            os.write(1, f"[{self.seconds():5.0f} s] {self.rows[-1]}\n".encode())
            with open(f"{self.folder}/table.txt", "w", encoding="utf-8") as file:
                file.write("\n".join(self.rows) + "\n")

    def fact(self, **facts):
        line = json.dumps({"at": round(self.seconds(), 1), **facts}) + "\n"
        with self.lock, open(f"{self.folder}/first.jsonl", "a", encoding="utf-8") as file:
            file.write(line)

    def log(self, step, size):
        text = f"=== {step.name}: {step.state()}, {step.seconds:.1f} s\n{step.text()[-size:]}\n"
        with self.lock, open(f"{self.folder}/logs.txt", "a", encoding="utf-8") as file:
            file.write(text)
        self.fact(step=step.name, rc=step.rc, seconds=round(step.seconds, 1))

    def show(self):
        """Prints the table; a signal handler may call it."""
        os.write(1, ("\n== table\n" + "\n".join(self.rows) + "\n").encode())


class Step:
    """A command that has ended, was stopped at its limit (rc -9) or never began (rc None)."""
    def __init__(self, name, log=os.devnull, began=0.0):
        self.name, self.log, self.began, self.rc, self.seconds, self.process = name, log, began, None, 0.0, None

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def json(self):
        """The JSON object that the command printed, on a line of its own or on several."""
        text = self.text()
        for line in reversed(text.splitlines()):
            if line.startswith("{") and line.endswith("}"):
                return json.loads(line)
        return json.loads(text[text.index("{"):text.rindex("}") + 1])

    def state(self):
        return {None: "no time left", -9: "stopped at its limit"}.get(self.rc, f"exit {self.rc}")

    def why(self):
        """Why the step is no success: its state and the last line that names a trouble."""
        lines = [line.strip() for line in self.text().splitlines() if line.strip()]
        named = [line for line in lines if TROUBLE.search(line)] or lines or [""]
        return f"FAILED ({self.state()}, {self.seconds:.0f} s) {named[-1][:170]}"


class Steps:
    """Starts, limits and stops commands. `folder` takes what they say."""
    def __init__(self, report, folder, budget):
        self.report, self.folder, self.budget, self.part_end, self.live = report, folder, budget, budget, set()
        os.makedirs(folder, exist_ok=True)

    def begin_part(self, seconds):
        self.part_end = min(self.budget, self.report.seconds() + seconds)

    def left(self):
        """Seconds that the part may still take."""
        return self.part_end - self.report.seconds()

    def start(self, name, command):
        """Starts a command in the background."""
        step = Step(name, f"{self.folder}/{name.replace('/', '-').replace(' ', '-')}.log", time.time())
        if shutil.which(command[0]) is None:
            command = ["sh", "-c", f"echo error: no program {command[0]}; exit 127"]
        with open(step.log, "wb") as log:
            step.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **GROUP)
        self.live.add(step.process)
        return step

    def wait(self, step, limit, grace=4):
        """Waits for a step, and stops it after `limit` seconds: by SIGINT, then after `grace` seconds by SIGKILL."""
        try:
            step.rc = step.process.wait(max(0.1, min(limit, self.left())))
        except subprocess.TimeoutExpired:
            self.stop(step.process, grace)
            step.rc = -9
        self.live.discard(step.process)
        step.seconds = time.time() - step.began
        return step

    def stop(self, process, grace):
        for sign, seconds in ((signal.SIGINT, grace), (signal.SIGKILL, 2)):
            try:
                os.killpg(process.pid, sign)
                process.wait(seconds)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue

    def stop_all(self):
        """Kills what still runs; a signal handler may call it."""
        for process in list(self.live):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def run(self, name, limit, command, size=4000, grace=4):
        """Runs a command for at most `limit` seconds and keeps the last `size` characters of what it says."""
        if min(limit, self.left()) < LEAST_SECONDS:
            self.report.fact(step=name, rc=None)
            return Step(name)
        step = self.wait(self.start(name, command), limit, grace)
        self.report.log(step, size)
        return step

    def together(self, jobs, limit, workers):
        """Runs {name: command} by so many at once, the first first, and yields each step as it ends."""
        with concurrent.futures.ThreadPoolExecutor(max(1, min(workers, len(jobs)))) as pool:
            futures = [pool.submit(self.run, name, limit, command) for name, command in jobs.items()]
            for future in concurrent.futures.as_completed(futures):
                yield future.result()
