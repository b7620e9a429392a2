#!/usr/bin/env python3
"""Counts, for each kernel of the plug-in for CUDA, what its machine code shows without a GPU.

  machine_code.py PLUGIN [NAME...]   NAME: part of a kernel's name; all kernels if none is given

Needs cuobjdump (PyPI: nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm) and c++filt on the path. Columns:
  registers, shared   of a thread, and bytes of shared memory of a block
  stack               bytes of a thread's stack: above 0 where registers were spilled or arrays are indexed
  instructions        of the kernel's whole code
  in flight           most global loads of a thread that were issued and not yet read, by order of the code
  tensor              matrix instructions (HMMA), and LDSM loads that feed them
  double              instructions on f64
"""
import re
import subprocess
import sys


def output_of(*command, given=None):
    return subprocess.run(command, input=given, text=True, check=True, capture_output=True).stdout


def kernels_of(plugin):
    """Mangled name -> instructions, without their predicates."""
    kernels = {}
    for line in output_of("cuobjdump", "-sass", plugin).splitlines():
        if match := re.search(r"Function : (\S+)", line):
            code = kernels.setdefault(match[1], [])
        elif match := re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?(.*?);", line):
            code.append(match[1])
    return kernels


def resources_of(plugin):
    """Mangled name -> its line of registers, stack and shared memory."""
    lines = output_of("cuobjdump", "-res-usage", plugin).splitlines()
    return {re.search(r"Function (\S+):", name)[1]: usage for name, usage in zip(lines, lines[1:]) if "Function" in name}


def registers(text):
    return set(re.findall(r"\bR(\d+)\b", text))


def loads_in_flight(code):
    waiting, most = set(), 0
    for instruction in code:
        name, _, operands = instruction.partition(" ")
        if name.startswith("LDG"):
            target, _, address = operands.partition(",")
            waiting = (waiting - registers(address)) | registers(target)
            most = max(most, len(waiting))
        else:
            writes_first = not name.startswith(("ST", "RED", "BRA"))
            waiting -= registers(operands.partition(",")[2] if writes_first else operands)
    return most


def main():
    plugin, wanted = sys.argv[1], sys.argv[2:]
    usage = resources_of(plugin)
    kernels = kernels_of(plugin)
    names = output_of("c++filt", given="\n".join(kernels)).splitlines()
    print("| kernel | registers | shared | stack | instructions | in flight | tensor | double |\n|---|---|---|---|---|---|---|---|")
    for (mangled, code), name in sorted(zip(kernels.items(), names), key=lambda row: row[1]):
        short = re.sub(r"^void |\(frugal::cuda::\w+\)|frugal::cuda::|\(.*", "", name.replace("(frugal::cuda::Rule)", ""))
        if wanted and not any(part in short for part in wanted):
            continue
        facts = {key: re.search(rf"{key}:(\d+)", usage[mangled])[1] for key in ("REG", "SHARED", "STACK")}
        count = lambda *starts: sum(instruction.startswith(starts) for instruction in code)
        print(f"| `{short}` | {facts['REG']} | {facts['SHARED']} | {facts['STACK']} | {len(code)} | {loads_in_flight(code)} |"
              f" {count('HMMA')} + {count('LDSM')} | {count('DADD', 'DMUL', 'DFMA')} |")


if __name__ == "__main__":
    main()
