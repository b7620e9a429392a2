#!/usr/bin/env python3
"""Recorded machines: one text file holds what hw-probe reads of /proc, /sys and /dev.

Each line is PATH<TAB>CONTENT with the escapes \\n, \\t, \\0 and \\\\. [0-3,8] in a path stands for these
numbers, one file for each; {} in the content is the number, {+4} and {-4} are the number plus or minus 4.
Lines that begin with # are comments.

  machine.py record > FILE        records this machine
  machine.py unpack FILE FOLDER   makes the files below FOLDER
"""
import glob
import os
import re
import sys

RECORDED = [
    "/proc/cpuinfo", "/proc/meminfo", "/proc/sys/kernel/osrelease", "/proc/self/cgroup",
    "/proc/self/mountinfo", "/proc/self/status", "/proc/self/limits", "/proc/device-tree/model",
    "/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name", "/sys/hypervisor/type",
    "/sys/devices/system/cpu/online", "/sys/devices/cpu_core/cpus", "/sys/devices/cpu_atom/cpus",
    "/sys/devices/cpu_lowpower/cpus", "/sys/devices/system/cpu/cpu[0-9]*/cpu_capacity",
    "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/cpuinfo_max_freq",
    "/sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id",
    "/sys/devices/system/cpu/cpu[0-9]*/topology/core_cpus_list",
    "/sys/devices/system/node/online",
    "/sys/devices/system/node/node[0-9]*/cpulist", "/sys/devices/system/node/node[0-9]*/distance",
    "/sys/devices/system/node/node[0-9]*/meminfo",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/kernel/mm/hugepages/*/nr_hugepages", "/sys/kernel/mm/hugepages/*/free_hugepages",
    "/sys/bus/pci/devices/*/vendor", "/sys/bus/pci/devices/*/class",
    "/sys/class/kfd/kfd/topology/nodes/*/properties",
] + ["/sys/devices/system/cpu/cpu[0-9]*/cache/index*/" + name for name in (
    "level", "type", "size", "shared_cpu_list", "coherency_line_size", "ways_of_associativity")]
PRESENT = ["/.dockerenv", "/run/.containerenv", "/dev/kfd", "/dev/nvidia[0-9]*", "/dev/ipu[0-9]*"]
CGROUP_FILES = ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us", "memory.max", "memory.high", "memory.current",
                "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat")
VARIABLES = r"(SLURM_|OMP_|CUDA_VISIBLE|IPUOF_|POPLAR_SDK|KUBERNETES_SERVICE_HOST|container=)"


def escape(text):
    for plain, escaped in (("\\", "\\\\"), ("\n", "\\n"), ("\t", "\\t"), ("\0", "\\0")):
        text = text.replace(plain, escaped)
    return text


def unescape(text):
    plain = {"n": "\n", "t": "\t", "0": "\0", "\\": "\\"}
    return re.sub(r"\\(.)", lambda match: plain[match.group(1)], text)


def numbers(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def expand(path, content):
    """Yields (path, content) for each number of a [list] in the path."""
    match = re.search(r"\[([0-9,-]+)\]", path)
    if not match:
        yield path, content
        return
    for n in numbers(match.group(1)):
        filled = re.sub(r"\{([+-]\d+)?\}", lambda m: str(n + int(m.group(1) or 0)), content)
        yield path[:match.start()] + str(n) + path[match.end():], filled


def unpack(recording, folder):
    with open(recording, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#") or not line.strip():
                continue
            pattern, content = line.rstrip("\n").split("\t", 1)
            for path, text in expand(pattern, content):
                target = folder + path
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "w", encoding="utf-8", newline="") as file:
                    file.write(unescape(text))


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return None


def own_cgroup_files(mount_point):
    """Limits of the groups that this process is in, and of their ancestors."""
    for line in (read("/proc/self/cgroup") or "").splitlines():
        group = line.split(":", 2)[2]
        while True:
            for name in CGROUP_FILES:
                path = mount_point + group.rstrip("/") + "/" + name
                if os.path.exists(path):
                    yield path
            if group in ("", "/"):
                break
            group = group[:group.rfind("/")]


def record():
    paths = [path for pattern in RECORDED for path in sorted(glob.glob(pattern))]
    for mount in (read("/proc/self/mountinfo") or "").splitlines():
        if " - cgroup" in mount:
            paths += own_cgroup_files(mount.split()[4])
    for path in dict.fromkeys(paths):
        content = read(path)
        if content is not None:
            print(path + "\t" + escape(content))
    for pattern in PRESENT:
        for path in sorted(glob.glob(pattern)):
            print(path + "\t")
    kept = [name + "=" + value for name, value in sorted(os.environ.items())
            if re.match(VARIABLES, name + "=" + value)]
    print("/proc/self/environ\t" + escape("".join(entry + "\0" for entry in kept)))


if __name__ == "__main__":
    if sys.argv[1:] == ["record"]:
        record()
    elif len(sys.argv) == 4 and sys.argv[1] == "unpack":
        unpack(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
