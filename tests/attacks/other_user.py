#!/usr/bin/env python3
"""Another user places links, locks and plug-ins in folders that all may write. No command may destroy a file of its user
by them, or load another user's code; links and plug-ins of the user and of root go on working. The user is root, then
somebody else. Skipped (77) where root is not.

    other_user.py BIN_DIR PLUGIN       PLUGIN: a libfrugal_cuda.so of the tests; fails if anything was found
"""
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile

OTHER, USER = 65534, 65533
GROUP = 65532  # of nobody here
CREATE, UNAVAILABLE = 73, 69
TRAIN = "robe-compress train {home}/clicks.tsv --epochs 1 --threads 1 -q -f -o "
SWEEP = ("tgn-train sweep {home}/events --memory-dim 4 --time-dim 4 --batch-size 100 --memory window --precision f32 --epochs 1 "
         "--threads 1 -q -o ")


class Attack:
    """One user's home, and the folder `shared` that all users may write."""

    def __init__(self, tools, plugin, user):
        self.tools, self.plugin, self.user, self.found = tools, plugin, user, []

    def run(self, line, status=0, words="", **environment):
        done = subprocess.run(line.format(home=self.home, shared=self.shared), shell=True, cwd=self.home, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=lambda: become(self.user),
                              env=os.environ | {"PATH": f"{self.tools}:{os.environ['PATH']}", "TMPDIR": self.home} | environment)
        lines = done.stderr.decode(errors="replace").splitlines()
        self.loaded = [line for line in lines if "calling init" in line and "libfrugal_" in line]  # of LD_DEBUG
        self.told = "\n".join(line for line in lines if not line.lstrip()[:1].isdigit())
        self.answer = done.stdout.decode(errors="replace")
        if done.returncode != status or words not in self.told:
            self.found.append(f"user {self.user}: {line}: status {done.returncode}, expected {status} and '{words}': {self.told[:500]}")

    def expect(self, holds, what):
        if not holds:
            self.found.append(f"user {self.user}: {what}")

    def make(self):
        """A fresh home and a fresh shared folder."""
        self.top = tempfile.mkdtemp()
        os.chmod(self.top, 0o755)
        self.home, self.shared = f"{self.top}/home", f"{self.top}/shared"
        for folder in (self.home, self.shared):
            os.mkdir(folder)
        os.chown(self.home, self.user, self.user)
        os.chmod(self.shared, 0o777)  # not sticky: nobody but us looks at who placed a link
        self.run("robe-compress generate -o clicks.tsv --shape small --samples 300 -q && "
                 "tgn-train generate -o events --events 400 --nodes 50 -q")

    def precious(self):
        """A file of the user that no command names."""
        path = f"{self.home}/precious"
        with open(path, "w", encoding="ascii") as file:
            file.write("years of work")
        os.chown(path, self.user, self.user)
        return path

    def place(self, name, how):
        """What the other user puts at that name in the shared folder."""
        path = f"{self.shared}/{name}"
        if os.path.lexists(path):
            os.remove(path)
        if how == "second name":
            os.link(f"{self.home}/precious", path)
        elif how == "pipe":
            os.mkfifo(path)
        else:
            ends = {"link": "precious", "link to nothing": "none", "link to a folder": "."}
            os.symlink("/dev/null" if how == "link to a device" else f"{self.home}/{ends[how]}", path)
            os.lchown(path, OTHER, OTHER)
        return path

    def refuse(self, line, name, how, words):
        """The command ends with 73 and these words, and what the link leads to is as it was."""
        self.precious()
        placed = self.place(name, how)
        self.run(line, CREATE, words)
        with open(f"{self.home}/precious", encoding="latin1") as file:
            self.expect(file.read() == "years of work", f"{line}: destroys a file by a {how} at {name}")
        self.expect(not os.path.exists(f"{self.home}/none"), f"{line}: makes a file by a {how} at {name}")
        if os.path.lexists(placed):
            os.remove(placed)

    def links(self):
        checkpoint, report = TRAIN + "m --checkpoint {shared}/c", TRAIN + "m --report {shared}/r"
        for line, name in ((checkpoint, ".c.lock"), (report, ".r.lock")):
            self.refuse(line, name, "link", "it is a symbolic link")
            self.refuse(line, name, "second name", "it has 2 names")
            self.refuse(line, name, "pipe", "it is no regular file")
        outputs = ((TRAIN + "{shared}/m", "m"), (checkpoint, "c"), (report, "r"), (TRAIN + "m --metrics {shared}/log", "log"),
                   (SWEEP + "{shared}/runs", "runs"))
        for line, name in outputs:
            self.refuse(line, name, "link", "that another user (65534) placed")
        self.refuse(outputs[0][0], "m", "link to nothing", "that another user")
        self.refuse(outputs[3][0], "log", "link to nothing", "that another user")
        self.refuse(outputs[0][0], "m", "link to a device", "that another user")
        self.refuse(TRAIN + "m --tensorboard {shared}/t/", "t", "link to a folder", "that another user")
        for line, name in outputs[3:]:
            self.refuse(line, name, "second name", "the file has 2 names")
        # An output that is replaced leaves the other name of a file alone, and a link in the place of .prev.
        self.precious()
        for name, how in (("m", "second name"), ("c.prev", "link")):
            self.place(name, how)
        self.run(TRAIN + "{shared}/m --checkpoint {shared}/c --checkpoint-every 0s")
        with open(f"{self.home}/precious", encoding="latin1") as file:
            self.expect(file.read() == "years of work", "a replaced output destroys a file")

    def locks(self):
        """What a killed run left: another user's is not written, a file that is no lock stays."""
        path = f"{self.shared}/.s.lock"
        for text, status in (("process 1 on a killed one's machine", 0), ("letters", CREATE)):
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            os.chown(path, OTHER, OTHER)
            with open(path, encoding="ascii") as file:
                self.run(TRAIN + "m --checkpoint {shared}/s", status)
                self.expect(file.read() == text, f"a lock with '{text}' is written")
            self.expect(os.path.exists(path) == (status != 0), f"a lock with '{text}' stays or goes")

    def own_links(self):
        """Links of the user and of root, devices, pipes and open files are followed."""
        os.mkdir(f"{self.home}/disk")
        os.chown(f"{self.home}/disk", self.user, self.user)
        for owner in (self.user, 0):
            for name in ("out", "log", "c"):
                link = f"{self.shared}/own.{name}"
                if os.path.lexists(link):
                    os.remove(link)
                os.symlink(f"{self.home}/disk/{name}", link)
                os.lchown(link, owner, owner)
            self.run(TRAIN + "{shared}/own.out --metrics {shared}/own.log --checkpoint {shared}/own.c --checkpoint-every 0s")
            names = sorted(os.listdir(f"{self.home}/disk"))
            self.expect(names == ["c", "c.prev", "log", "out"], f"links of user {owner}: found {names}")
            self.expect(not os.path.islink(f"{self.home}/disk/c.prev"), "the previous checkpoint is a link")
        self.run("ln disk/log same && " + TRAIN + "/dev/null --metrics disk/log && cmp disk/log same")
        self.run("mkfifo p && (cat p > piped & " + TRAIN + "m --metrics p && wait && grep -q metric piped)")
        self.run(TRAIN + "/dev/stdout > one && tensor-file diff one m && " + TRAIN + "/dev/fd/5 --metrics /dev/fd/6 5> five 6> six && "
                 "tensor-file diff five m && grep -q metric six && " + TRAIN + "/dev/fd/5 5>&1 > /dev/null | tensor-file diff - m")

    def plug(self, status, words, path=None, **environment):
        """The plug-in is asked for, of whatever reason it is not loaded for."""
        train = TRAIN + "m --device cuda" if "OMPI_COMM_WORLD_SIZE" not in environment else TRAIN + "m"
        folder = f"{self.shared}/plugins" if path is None else path
        self.run(train, status, words, FRUGAL_PLUGIN_DIR=folder, LD_DEBUG="files", **environment)
        self.expect(not self.loaded, f"plug-in loaded: {words}")
        if not environment:
            self.expect(words in self.cuda(FRUGAL_PLUGIN_DIR=folder)["reason"], f"--version --json: without '{words}'")

    def cuda(self, tool="robe-compress", **environment):
        """What a tool says of the plug-in for CUDA."""
        self.run(f"{tool} --version --json", **environment)
        return json.loads(self.answer)["devices"]["cuda"]

    def plugins(self):
        folder, mine = f"{self.shared}/plugins", f"{self.home}/plugins"
        for path, owner in ((folder, 0), (mine, self.user)):
            os.mkdir(path)
            os.chown(path, owner, owner)
            for kind in ("cuda", "mpi"):
                shutil.copy(self.plugin, f"{path}/libfrugal_{kind}.so")
                os.chown(f"{path}/libfrugal_{kind}.so", owner, owner)
        file = f"{folder}/libfrugal_cuda.so"
        for path in (folder, file):
            kind = os.stat(path).st_mode & stat.S_IXUSR
            shown = path + "/" * (path == folder)
            for owner, group, mode, words in ((OTHER, OTHER, 0o755, f"user 65534 owns {shown}, expected you or root"),
                                              (0, 0, 0o777, f"all users may write {shown}"),
                                              (0, GROUP, 0o775, f"group 65532 may write {shown}")):
                os.chown(path, owner, group)
                os.chmod(path, mode if kind else mode & 0o666)
                self.plug(UNAVAILABLE, words)
                if path == folder:
                    self.plug(UNAVAILABLE, f"libfrugal_mpi.so is not loaded: {words}",
                              OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="0")
            os.chown(path, 0, 0)
        self.plug(UNAVAILABLE, "is not an absolute path", "plugins")
        os.symlink(f"{self.shared}/foreign", f"{self.home}/linked")
        os.mkdir(f"{self.shared}/foreign")
        shutil.copy(self.plugin, f"{self.shared}/foreign/libfrugal_cuda.so")
        os.chown(f"{self.shared}/foreign", OTHER, OTHER)
        self.plug(UNAVAILABLE, f"user 65534 owns {self.home}/linked/", f"{self.home}/linked")
        # The user's own and root's, also where root's group may write, are loaded: only where a device is asked for.
        for path in (folder, mine):
            cuda = self.cuda(FRUGAL_PLUGIN_DIR=path)
            self.expect(cuda["usable"], f"{path}: {cuda}")
        for line in ("robe-compress --version", TRAIN + "m --device cpu", "tensor-file info m", "hw-probe advise --help"):
            self.run(line, FRUGAL_PLUGIN_DIR=mine, LD_DEBUG="files")
            self.expect(not self.loaded, f"{line}: loads a plug-in")

    def privileged(self):
        """A program with root's rights takes no plug-in that its caller names."""
        tool = f"{self.top}/robe-compress"
        shutil.copy(f"{self.tools}/robe-compress", tool)
        os.chmod(tool, 0o4755)
        reason = self.cuda(tool, FRUGAL_PLUGIN_DIR=f"{self.home}/plugins")["reason"]
        self.expect(reason.startswith("no libfrugal_cuda.so in") or not self.user, f"a setuid program: {reason}")


def become(user):
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def can_run(tools, user):
    return subprocess.run([f"{tools}/robe-compress", "--version"], preexec_fn=lambda: become(user), capture_output=True,
                          check=False).returncode == 0


def main():
    tools, plugin = (os.path.abspath(path) for path in sys.argv[1:])
    if os.getuid() != 0 or not can_run(tools, USER):
        print("not root, or other users cannot read the build")
        sys.exit(77)
    found = []
    for user in (0, USER):
        attack = Attack(tools, plugin, user)
        attack.make()
        try:
            for part in (attack.links, attack.locks, attack.own_links, attack.plugins, attack.privileged):
                part()
        finally:
            shutil.rmtree(attack.top)
        found += attack.found
    print(f"{len(found)} found")
    print("\n".join(found))
    sys.exit(1 if found else 0)


main()
