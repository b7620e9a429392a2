"""Kills a trainer at random moments and lets it go on: the model must be equal to the bit to that of a run that
nobody disturbed, and what went on must have begun at a checkpoint, not anew. For the scripts of the tools, which say
what to run."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

environment = dict(os.environ, SOURCE_DATE_EPOCH="0")


class Trainer:
    """command(variant): the arguments of one training, with input ../data.txt; the model is `model`, the
    checkpoint `run.ckpt`, and the run resumes if there is one."""

    def __init__(self, program, variants, command):
        self.program = os.path.abspath(program)
        self.variants = variants
        self.command = command
        self.refused = 0  # second runs on a checkpoint
        self.resumed = 0

    def start(self, folder, variant):
        arguments = [self.program, *self.command(variant), "-o", "model", "-q", "--checkpoint", "run.ckpt",
                     "--checkpoint-every", "15ms", "--resume", "--json"]
        os.makedirs(folder, exist_ok=True)
        self.has_checkpoint = checkpoint_time(folder) is not None
        return subprocess.Popen(arguments, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, process):
        """Waits for a run to succeed: where there was a checkpoint, it must have gone on from there."""
        output, errors = process.communicate(timeout=120)
        if process.returncode != 0:
            sys.exit(f"exit status {process.returncode}, expected 0: {errors.decode()}")
        resumed_from = json.loads(output)["resumed_from_step"]
        if (resumed_from > 0) != self.has_checkpoint:
            sys.exit(f"resumed from step {resumed_from} {'with' if self.has_checkpoint else 'without'} a checkpoint")
        self.resumed += resumed_from > 0

    def undisturbed(self, folder, variant):
        began = time.monotonic()
        self.finish(self.start(folder, variant))
        return content(folder), time.monotonic() - began

    def kill_until_done(self, name, variant, duration, kills):
        """One run with up to `kills` kills; returns how many there were and how long such a run takes at most."""
        done = 0
        while done < kills:
            began = time.monotonic()
            process = self.start(name, variant)
            try:
                process.wait(random.uniform(0, duration))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.returncode != -signal.SIGKILL:
                self.finish(process)
                duration = min(duration, time.monotonic() - began)  # the first may have run on a busy machine
                break
            process.communicate()
            done += 1
            check_left(name, {".run.ckpt.tmp.", ".model.tmp.", ".run.ckpt.lock"})
        else:
            self.finish(self.start(name, variant))
        check_left(name, set())
        return done, duration

    def check_kills(self, kills_wanted):
        reference = {v: self.undisturbed(f"reference{i}", v) for i, v in enumerate(self.variants)}
        kills = run = 0
        while kills < kills_wanted:
            variant = self.variants[run % len(self.variants)]
            expected, duration = reference[variant]
            done, duration = self.kill_until_done(f"run{run}", variant, duration, min(4, kills_wanted - kills))
            kills += done
            reference[variant] = expected, duration
            if content(f"run{run}") != expected:
                sys.exit(f"run {run} ({variant}): the model differs from that of the undisturbed run")
            run += 1
        print(f"{kills} kills in {run} runs, {self.resumed} went on from a checkpoint: all models equal")
        if self.resumed == 0:
            sys.exit("no killed run went on from a checkpoint")
        return reference

    def check_signals(self, reference):
        """TERM: a checkpoint and exit status 75; USR1: a checkpoint, and the run goes on."""
        ever_stopped = 0
        for i, (variant, (expected, duration)) in enumerate(reference.items()):
            name = f"signals{i}"
            stopped = 0
            for attempt in range(20):
                if attempt >= 3 and stopped > 0:
                    break
                before = checkpoint_time(name)
                process = self.start(name, variant)
                while checkpoint_time(name) == before and process.poll() is None:
                    time.sleep(0.002)  # once it writes checkpoints, it handles signals
                if process.poll() is None:
                    self.check_second(name, variant, process)
                process.send_signal(signal.SIGUSR1)
                if attempt < 3:  # on a slow disk a run may end within that time
                    time.sleep(duration / 8)
                process.send_signal(signal.SIGTERM)
                process.communicate()
                if process.returncode not in (0, 75):
                    sys.exit(f"after TERM: exit status {process.returncode}, expected 75")
                stopped += process.returncode == 75
            self.finish(self.start(name, variant))
            if content(name) != expected:
                sys.exit(f"{name} ({variant}): the model differs from that of the undisturbed run")
            print(f"{variant}: stopped {stopped} times, model equal")
            ever_stopped += stopped
        if ever_stopped == 0:
            sys.exit("no run was stopped by TERM")
        if self.refused == 0:
            sys.exit("no second run was tried on the checkpoint of a first")

    def check_second(self, name, variant, first):
        """A second run on the checkpoint of one that lives is refused."""
        first.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, first.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        if first.poll() is None and holds_lock(first.pid):
            second = self.start(name, variant)
            errors = second.communicate(timeout=120)[1].decode()
            if second.returncode != 73:
                sys.exit(f"a second run ended with status {second.returncode}, expected 73: {errors}")
            if f"process {first.pid} on " not in errors:
                sys.exit(f"a second run does not name the first: {errors}")
            self.refused += 1
        first.send_signal(signal.SIGCONT)


def holds_lock(process):
    """False once a run has written its model and released its checkpoint: a second run may begin then."""
    folder = f"/proc/{process}/fd"
    return any(os.readlink(os.path.join(folder, file)).endswith("/.run.ckpt.lock") for file in os.listdir(folder))


def content(folder):
    with open(os.path.join(folder, "model"), "rb") as model:
        return model.read()


def check_left(name, hidden):
    """Only between kills may a hidden file be left, the lock or, by one between linkat and rename, a temporary: the
    next run removes it."""
    left = set(os.listdir(name)) - {"run.ckpt", "run.ckpt.prev", "run.ckpt.prev.new", "model"}
    left = {file for file in left if not any(file.startswith(prefix) for prefix in hidden)}
    if left:
        sys.exit(f"a killed run left {left} behind")


def checkpoint_time(folder):
    try:
        return os.stat(os.path.join(folder, "run.ckpt")).st_mtime_ns
    except FileNotFoundError:
        return None


def check(program, variants, command, write_data, kills):
    """All checks, in a folder of their own, on what write_data(path) writes."""
    random.seed(1)
    trainer = Trainer(program, variants, command)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_data("data.txt")
        trainer.check_signals(trainer.check_kills(kills))
