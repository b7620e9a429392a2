"""Builds the whole project once with all mutants in it. What does not compile is dropped and built again."""

import hashlib
import os
import re
import subprocess
import sys

import mutate


def project_files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True).stdout
    return [name for name in listed.decode().split("\0") if name]


def is_mutated(name):
    """Headers are left alone, but for the kernels' bodies: what is inlined everywhere would be built everywhere."""
    if name.endswith("build_info.cpp"):
        return False
    return re.fullmatch(r"(libcore|tools)/.*\.cpp|libcore/kernels/bodies/.*\.h", name) is not None


def write_if_changed(path, content):
    if not os.path.exists(path) or open(path, "rb").read() != content:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


class MutatedBuild:
    """folder/source has the project's files with mutants, folder/build the programs."""

    def __init__(self, root, folder):
        self.root, self.folder = os.path.abspath(root), os.path.abspath(folder)
        self.source, self.build = os.path.join(self.folder, "source"), os.path.join(self.folder, "build")

    def read(self, name):
        with open(os.path.join(self.root, name), "rb") as file:
            return file.read()

    def fingerprint(self):
        """Of all files that the programs and the tests are made from."""
        digest = hashlib.sha256()
        for name in project_files(self.root):
            if not name.endswith(".md") and os.path.isfile(os.path.join(self.root, name)):
                digest.update(name.encode() + b"\0" + self.read(name) + b"\0")
        return digest.hexdigest()

    def draw(self, seed, total):
        names = [n for n in project_files(self.root) if is_mutated(n)]
        return mutate.draw({n: self.read(n).decode() for n in names}, seed, total)

    def write(self, mutants):
        by_file = {}
        for mutant in mutants:
            by_file.setdefault(mutant.file, []).append(mutant)
        for name in project_files(self.root):
            path = os.path.join(self.root, name)
            if os.path.islink(path) or not os.path.exists(path):
                continue
            content = self.read(name)
            if name in by_file:
                content = mutate.mutated(content.decode(), by_file[name]).encode()
            if name == "tests/main.cpp":
                content += b'#include "mutants/reached_cases.h"\n'
            write_if_changed(os.path.join(self.source, name), content)
            os.chmod(os.path.join(self.source, name), os.stat(path).st_mode)
        python = os.path.join(self.root, "build/python")  # what tests/run.sh installs for tests
        if os.path.isdir(python) and not os.path.exists(os.path.join(self.source, "build/python")):
            os.makedirs(os.path.join(self.source, "build"), exist_ok=True)
            os.symlink(python, os.path.join(self.source, "build/python"))

    def configure(self):
        os.makedirs(self.build, exist_ok=True)
        switch = os.path.join(self.folder, "mutant_switch.o")
        subprocess.run(["g++", "-std=c++20", "-O1", "-fPIC", "-I", self.root, "-c",
                        os.path.join(self.root, "tests/mutants/mutant_switch.cpp"), "-o", switch], check=True)
        header = os.path.join(self.root, "tests/mutants/mutant_switch.h")
        subprocess.run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DFRUGAL_UNITY=ON", "-DFRUGAL_WERROR=OFF", f"-DCMAKE_CXX_FLAGS=-w -include {header}",
                        "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", f"-DCMAKE_EXE_LINKER_FLAGS={switch}"],
                       check=True, stdout=subprocess.DEVNULL)

    def compile(self, mutants, jobs, targets):
        """The mutants that compile."""
        for _ in range(12):
            done = subprocess.run(["ninja", "-C", self.build, "-k", "0", "-j", str(jobs), *targets], capture_output=True,
                                  text=True)
            if done.returncode == 0:
                return mutants
            bad = self.blamed(mutants, done.stdout + done.stderr)
            if not bad:
                sys.exit(done.stdout[-4000:] + "\nthe mutated build fails, and no mutant is to blame")
            print(f"{len(bad)} mutants do not compile and are dropped", flush=True)
            mutants = [m for m in mutants if m.id not in bad]
            self.write(mutants)
        sys.exit("the mutated build keeps failing")

    def blamed(self, mutants, output):
        """The ids of mutants on a line with an error; of all in the file where there is none on such a line."""
        bad = set()
        for file, line in set(re.findall(re.escape(self.source) + r"/(\S+?):(\d+):\d+: (?:fatal )?error", output)):
            here = [m for m in mutants if m.file == file]
            text = self.read(file).decode() if here else ""
            near = [m for m in here if any(abs(text.count("\n", 0, e[0]) + 1 - int(line)) <= 1 for e in m.edits)]
            bad.update(m.id for m in near or here)
        return bad
