"""What the benchmarks of the tools share: finding data, measuring commands, asking for predictions."""
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def default_data():
    """$SHARED_DATA, else shared/data beside the repository."""
    return os.environ.get("SHARED_DATA", os.path.join(os.path.dirname(ROOT), "shared", "data"))


def default_program(name="sparse-train"):
    return shutil.which(name) or os.path.join(ROOT, "build/release/bin", name)


def read(path):
    """The bytes of a file, .zst or not."""
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dc", path], check=True, stdout=subprocess.PIPE).stdout
    with open(path, "rb") as file:
        return file.read()


def find(folder, name):
    for suffix in ("", ".zst"):
        path = os.path.join(folder, name + suffix)
        if os.path.exists(path):
            return path
    sys.exit(f"{os.path.basename(sys.argv[0])}: {folder}/{name}[.zst]: no such file, expected a data set")


def size_mib(path):
    """Size of a file or of all files in a folder."""
    if not os.path.isdir(path):
        return os.path.getsize(path) / 2**20
    return sum(os.path.getsize(os.path.join(folder, name))
               for folder, _, names in os.walk(path) for name in names) / 2**20


def measure(command, limit=None):
    """Runs a command; its wall and CPU seconds, peak MiB and output. Kills it after `limit` seconds."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors, \
            tempfile.TemporaryFile() as usage:
        # A child's peak memory begins at that of the process that started it, which must be small.
        helper = [sys.executable, "-S", os.path.abspath(__file__), str(usage.fileno()), str(limit or 0)]
        subprocess.run([*helper, *command], check=True, stdout=out, stderr=errors,
                       pass_fds=[usage.fileno()])
        for file in (out, errors, usage):
            file.seek(0)
        result = json.load(usage)
        status = result.pop("status")
        if status:
            raise RuntimeError(f"{shlex.join(command)}: exit status {status}\n"
                               + errors.read().decode(errors="replace"))
        return {**result, "out": out.read()}


def run_measured(channel, limit, command):
    """Writes what `command` used as JSON to the file descriptor `channel`."""
    begin = os.times().elapsed
    process = subprocess.Popen(command)
    alarm = threading.Timer(limit, process.kill)
    if limit:
        alarm.start()
    _, status, usage = os.wait4(process.pid, 0)
    alarm.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    with os.fdopen(channel, "w") as file:
        json.dump({"wall": os.times().elapsed - begin, "cpu": usage.ru_utime + usage.ru_stime,
                   "memory": usage.ru_maxrss / 1024, "status": process.returncode}, file)


def predict(program, model, path, threads):
    """The five best labels that a model of sparse-train gives each line, and the CPU seconds of that."""
    result = measure([program, "predict", model, path, "--top-k", "5", "--threads", str(threads)])
    lines = result["out"].decode().split("\n")[:-1]
    return [[int(pair.rpartition(":")[0]) for pair in line.split()] for line in lines], result["cpu"]


if __name__ == "__main__":
    run_measured(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
