"""Runs the tools that are attacked."""
import os
import subprocess
import sys

ALLOWED = {0, 1, 2, 65, 66, 69, 73, 74, 75}  # of frugal(7), but for 70, the own fault of a tool
TIME_LIMIT = 60


class ToolRunner:
    def __init__(self, folder, environment, limit=None):
        """limit: called in the new process before the tool starts."""
        self.folder, self.limit = os.path.abspath(folder), limit
        self.environment = {**os.environ, "LC_ALL": "C", **environment}

    def run(self, words, **more_environment):
        """Exit status, or "hang", and what was said."""
        try:
            done = subprocess.run([os.path.join(self.folder, words[0]), *words[1:]], env={**self.environment, **more_environment},
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT, preexec_fn=self.limit)
        except subprocess.TimeoutExpired:
            return "hang", ""
        return done.returncode, done.stderr.decode("utf-8", "replace")

    def must_run(self, *words):
        status, message = self.run(words)
        if status != 0:
            sys.exit(f"{' '.join(words)}: {status}\n{message}")
