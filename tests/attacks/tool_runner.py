"""Runs the tools that are attacked."""
import os
import resource
import select
import subprocess
import sys
import tempfile

ALLOWED = {0, 1, 2, 65, 66, 69, 73, 74, 75}  # of frugal(7), but for 70, the own fault of a tool
TIME_LIMIT = 60


class ToolRunner:
    def __init__(self, folder, environment, limit=None):
        """limit: called in the new process before the tool starts."""
        self.folder, self.limit = os.path.abspath(folder), limit
        self.environment = {**os.environ, "LC_ALL": "C", **environment}

    def run_whole(self, words, input_path=os.devnull, output=subprocess.PIPE, limit=None, **more_environment):
        """Exit status, or "hang", what was said, and the bytes of the standard output, if that is not `output`."""
        with open(input_path, "rb") as data:
            try:
                done = subprocess.run([os.path.join(self.folder, words[0]), *words[1:]], stdin=data, stdout=output,
                                      stderr=subprocess.PIPE, env={**self.environment, **more_environment},
                                      timeout=TIME_LIMIT, preexec_fn=limit or self.limit)
            except subprocess.TimeoutExpired:
                return "hang", "", b""
        return done.returncode, done.stderr.decode("utf-8", "replace"), done.stdout

    def run(self, words):
        """Exit status, or "hang", and what was said."""
        return self.run_whole(words)[:2]

    def run_measured(self, words):
        """Exit status, or "hang", what was said, and the most memory that was resident, in bytes. A process begins as a copy
        of this one: no memory is told where it never had more than this one had."""
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen([os.path.join(self.folder, words[0]), *words[1:]], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=said, env=self.environment, preexec_fn=self.limit)
            ended = select.poll()
            handle = os.pidfd_open(process.pid)
            ended.register(handle, select.POLLIN)
            hangs = not ended.poll(1000 * TIME_LIMIT)
            os.close(handle)
            if hangs:
                process.kill()
            _, code, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(code)
            said.seek(0)
            message = said.read().decode("utf-8", "replace")
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return "hang" if hangs else process.returncode, message, 1024 * usage.ru_maxrss if usage.ru_maxrss > own else 0

    def must_run(self, *words):
        status, message = self.run(words)
        if status != 0:
            sys.exit(f"{' '.join(words)}: {status}\n{message}")
