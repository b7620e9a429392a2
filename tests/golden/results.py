#!/usr/bin/env python3
"""Runs the cases of results.cases and prints a SHA-256 of each result: the guard of changes that shall change none.

    results.py BIN_DIR > results.txt      the results of these tools, which tests/golden/results.txt has of earlier ones
    results.py BIN_DIR --check [FILE]     compares them with results.txt: 0 equal, 1 not, 77 another compiler or machine
    --only PREFIX     cases whose names begin so, and those that make data
    --dump FOLDER     what each hash is of, as text: diff -r of two folders shows more; *.keys have the keys of numbers
    --simd LEVEL      vector instructions (v2: what every x86-64 machine of today has)
    --times           CPU seconds of each case

A line of the output is a case, a part (stdout or a file), the values of --threads and a hash. The hash is of what
decides: of tensor files each tensor's name, type, shape and bytes, no metadata; of JSON the numbers in their order, to
12 digits, without keys, but for those of UNSTEADY; of all else the bytes. A case takes "name: command" in results.cases, where
{t} is --threads, {j} the same with --json, {name} the case, {data} examples/data, and "{word} = text" makes others.
"""
import argparse
import hashlib
import json
import os
import platform
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.normpath(os.path.join(HERE, "../../examples/data"))
THREADS = (1, 2)
# Keys of JSON whose values depend on time or machine, or on the length of metadata.
UNSTEADY = re.compile(r"seconds$|_per_(cpu_)?second$|waiting_share$|^resumed_from_step$|(memory|stored)_bytes$|^time$|^threads$")
# Files that other cases need, and configurations, which are option names: no results.
NO_RESULT = re.compile(r"\.(checkpoint|scratch|yaml)(\.|$)")


def numbers(value, path=""):
    """The numbers of a JSON value in the order of the document, with their places."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not UNSTEADY.search(key):
                yield from numbers(item, path + "/" + key)
    elif isinstance(value, list):
        for item in value:
            yield from numbers(item, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        # 42.0 is 42. How sums of losses are grouped depends on when progress is shown: the last digits do, too.
        yield str(value) if isinstance(value, int) else f"{value:.12g}", path


def documents(data):
    """The tensors of each safetensors document as lines of text; packed ones are followed by how they are packed."""
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        header = json.loads(data[at + 8:at + 8 + length])
        at += 8 + length
        metadata = header.pop("__metadata__", {})
        if metadata.get("frugal.kind") != "end":
            yield "document"
            for name, entry in sorted(header.items()):
                begin, end = entry["data_offsets"]
                content = hashlib.sha256(data[at + begin:at + end]).hexdigest()
                yield f"{name} {entry['dtype']} {entry['shape']} {content}"
            if "frugal.enc" in metadata:
                yield metadata["frugal.enc"]
        at += max((entry["data_offsets"][1] for entry in header.values()), default=0)


def content_of(data):
    """What decides of a result, as text, and for people the same with the keys of JSON."""
    if data[:4] == b"\x28\xb5\x2f\xfd":
        data = subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=True).stdout
    if data[8:9] == b"{" and len(data) >= 8 + struct.unpack_from("<Q", data)[0]:
        return "\n".join(documents(data)), None
    if data[:1] == b"{":
        found, decoder, rest = [], json.JSONDecoder(), data.decode().strip()
        while rest:
            value, end = decoder.raw_decode(rest)
            found += numbers(value)
            rest = rest[end:].lstrip()
        return "\n".join(v for v, _ in found), "\n".join(f"{v}\t{path}" for v, path in found)
    return data.decode("utf-8", "surrogateescape"), None


def parts_of(path):
    """Of an archive of numpy its members, of another file the file."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield os.path.basename(path) + "/" + name, archive.read(name)
    else:
        with open(path, "rb") as file:
            yield os.path.basename(path), file.read()


def read_cases(only):
    """(name, command) of each case, with the words that the table makes in place."""
    words, cases = {}, []
    with open(os.path.join(HERE, "results.cases"), encoding="utf-8") as table:
        for line in table:
            line = line.strip()
            word = re.match(r"(\{[a-z0-9-]+\}) = (.*)", line)
            case = re.match(r"([a-z0-9.-]+): +(.*)", line)
            if word:
                words[word[1]] = word[2]
            elif case and case[1].startswith((only, "data")):
                command = case[2]
                for _ in range(3):  # words within words
                    for name, text in words.items():
                        command = command.replace(name, text)
                cases.append((case[1], command.replace("{name}", case[1])))
            elif not case and line and not line.startswith("#"):
                sys.exit(f"results.cases: not a case, a word or a comment: {line}")
    names = [name for name, _ in cases]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        sys.exit(f"results.cases: twice: {sorted(twice)}")
    return cases


def state_of(folder):
    """What changes with every file that is written."""
    with os.scandir(folder) as entries:
        return {e.name: (e.stat().st_mtime_ns, e.stat().st_ino, e.stat().st_size) for e in entries if e.is_file()}


def run_case(folder, command, environment, log):
    """The results of a case: (part, bytes)."""
    before = state_of(folder)
    run = subprocess.run(["sh", "-ec", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    if run.returncode:
        log(f"exit {run.returncode}: {command}\n{run.stderr.decode(errors='replace')}")
        return None
    found = [("stdout", run.stdout)] if run.stdout else []
    for name, state in sorted(state_of(folder).items()):
        if before.get(name) != state and not NO_RESULT.search(name):
            found += parts_of(os.path.join(folder, name))
    return found


def run_all(cases, options, folder, threads, results, failed):
    """Runs the table with so many threads; results maps (case, part) to {threads: hash}."""
    os.mkdir(folder)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("FRUGAL_", "OMP_", "SLURM_"))}
    environment.update(PATH=options.bin + ":" + environment["PATH"], LC_ALL="C", TMPDIR=options.scratch,
                       FRUGAL_SIMD=options.simd, OMP_WAIT_POLICY="passive")
    for name, command in cases:
        for word, text in (("{t}", f"--threads {threads} -q"), ("{j}", f"--threads {threads} -q --json"), ("{data}", DATA)):
            command = command.replace(word, text)
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = run_case(folder, command, environment, lambda text: sys.stderr.write(f"{name}: {text}\n"))
        if options.times:
            end = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
            sys.stderr.write(f"{used:8.3f} s {name} {threads}\n")
        if found is None:
            failed.append(name)
            continue
        if not found:
            sys.stderr.write(f"{name}: no result\n")
            failed.append(name)
        for part, data in found:
            decides, shown = content_of(data)
            digest = hashlib.sha256(decides.encode("utf-8", "surrogateescape")).hexdigest()
            results.setdefault((name, part), {})[threads] = digest
            for ending, text in (("", decides), (".keys", shown)):
                if options.dump and text is not None:
                    path = os.path.join(options.dump, f"{name}.{part.replace('/', '.')}.{threads}{ending}")
                    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
                        file.write(text + "\n")


def lines_of(results):
    """The lines of results.txt; values of --threads with one hash share a line."""
    for (name, part), by_threads in results.items():
        for digest in dict.fromkeys(by_threads.values()):
            threads = ",".join(str(n) for n in sorted(by_threads) if by_threads[n] == digest)
            yield f"{name} {part} {threads} {digest}"


def build_of(options):
    """What bits may depend on: compiler, C library and instructions."""
    text = subprocess.run([options.bin + "/tensor-file", "--version", "--json"], stdout=subprocess.PIPE, check=True).stdout
    facts = json.loads(text)
    kind = "sanitized" if "-fsanitize" in facts["flags"] else facts["build_type"]
    compiler = facts["compiler"].split(".")[0]
    library = "glibc " + platform.libc_ver()[1]
    fused = "FMA" if facts["isa"].get("v3", {}).get("usable") else "no FMA"  # glibc chooses its functions by it
    return f"{platform.machine()}, {kind}, {compiler}, {library}, {fused}, {options.simd}"


def compare(path, results, build, only):
    """Says what differs from the file; without results, whether it is of such a build."""
    with open(path, encoding="utf-8") as file:
        wanted_build, *wanted = file.read().splitlines()
    if wanted_build != "# " + build:
        print(f"skipped: {path} is of {wanted_build[2:]}; this is {build}")
        return 77
    if results is None:
        return 0
    wanted = [line for line in wanted if line.startswith((only, "data"))]
    found = list(lines_of(results))
    for line in wanted:
        if line not in found:
            print("-", line)
    for line in found:
        if line not in wanted:
            print("+", line)
    return 0 if sorted(found) == sorted(wanted) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", metavar="BIN_DIR", type=os.path.abspath)
    parser.add_argument("--check", metavar="FILE", nargs="?", const=os.path.join(HERE, "results.txt"))
    parser.add_argument("--only", metavar="PREFIX", default="")
    parser.add_argument("--dump", metavar="FOLDER")
    parser.add_argument("--simd", metavar="LEVEL", default="v2")
    parser.add_argument("--times", action="store_true")
    options = parser.parse_args()
    build = build_of(options)
    if options.check and compare(options.check, None, build, options.only) == 77:
        return 77
    if options.dump:
        os.makedirs(options.dump, exist_ok=True)
    cases = read_cases(options.only)
    work = tempfile.mkdtemp(prefix="frugal-golden-")
    options.scratch = work
    results, failed = {n: {} for n in THREADS}, []
    try:
        runs = [threading.Thread(target=run_all, args=(cases, options, f"{work}/{n}", n, results[n], failed)) for n in THREADS]
        for run in runs:
            run.start()
            if options.times:  # one after the other, so that seconds are those of a case
                run.join()
        for run in runs:
            run.join()
    finally:
        shutil.rmtree(work)
    merged = {key: {} for name, _ in cases for n in THREADS for key in results[n] if key[0] == name}
    for n in THREADS:
        for key, by_threads in results[n].items():
            merged[key].update(by_threads)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    sys.stderr.write(f"{len(cases)} cases, {used.ru_utime + used.ru_stime:.1f} s of CPU\n")
    if failed:
        sys.stderr.write(f"failed: {sorted(set(failed))}\n")
        return 1
    if options.check:
        return compare(options.check, merged, build, options.only)
    print("# " + build)
    print("\n".join(lines_of(merged)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
