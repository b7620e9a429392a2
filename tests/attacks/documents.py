#!/usr/bin/env python3
"""documents.py BIN: JSON and YAML that are deep, wide or long, through the commands that read them.

Each must end with the expected status and message within ten seconds. Without sanitizers its memory stays below four
times the file and 64 MiB."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import tensor_file

BIN = os.path.abspath(sys.argv[1])
SANITIZED = subprocess.run(["grep", "-q", "__asan_init", os.path.join(BIN, "hw-probe")], check=False).returncode == 0
SECONDS = 60 if SANITIZED else 10
failed = 0


def usage(words):
    """Status, message, seconds and the largest resident memory in bytes."""
    began = time.monotonic()
    with open("said", "wb") as said, open("answer", "wb") as answer:
        child = subprocess.Popen([os.path.join(BIN, words[0]), *words[1:]], stdin=subprocess.DEVNULL, stdout=answer,
                                 stderr=said, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)))
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    with open("said", encoding="utf-8", errors="replace") as said:
        return child.returncode, said.read(), time.monotonic() - began, used.ru_maxrss * 1024


def expect(name, command, status, message, size):
    global failed
    found, said, seconds, memory = usage(command.split())
    most = BASE + 4 * size + (64 << 20)
    if found == status and message in said and len(said) < 1000 and (SANITIZED or memory < most):
        return
    failed = 1
    print(f"{name}: {command}: status {found}, {seconds:.1f} s, {memory >> 20} MiB of {most >> 20}: {said[:300]}\n"
          f"  expected {status} and '{message}'")


def attack(name, suffix, text, command, status, message):
    """The command reads the text where it says @."""
    path = f"{name}.{suffix}"
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    expect(name, command.replace("@", path), status, message, len(text))
    os.remove(path)


def log(line, config="seed: 1\n"):
    header = {"type": "run", "tool": "tgn-train", "command": "train", "config": config}
    return json.dumps(header) + '\n{"type":"metric","x":' + line + '}\n{"type":"result"}\n'


def wide(count, value="1"):
    return "{" + ",".join(f'"k{i}":{value}' for i in range(count)) + "}"


def long_name(length, values):
    """A long name around many values: joined, the names take the product of both."""
    return '{"' + "a" * length + '":' + wide(values) + "}"


def models():
    """A model whose metadata are not what they should be."""
    with open("text.csv", "w", encoding="utf-8") as out:
        out.writelines(f"{'ab'[i % 2]},{'one two'.split()[i % 2]} word{i % 7}\n" for i in range(60))
    made = usage("sparse-train train text.csv --architecture dense --hidden 4 --epochs 1 --min-count 1 -q -o m.safetensors".split())
    assert made[0] == 0, made
    metadata, tensors = tensor_file.read("m.safetensors")
    deep = "[" * 170_000 + "]" * 170_000
    for key, commands in {"frugal.history": ["info"], "model.training": ["info"],
                          "frugal.features": ["info", "predict", "eval", "export"]}.items():
        for value, message in [(deep, "nested more than 64 deep"), ("[1]", "expected"), ("{", "not valid JSON"),
                               ('{"zz":' + '{"a":' * 70_000 + "1" + "}" * 70_001, "nested more than 64 deep")]:
            tensor_file.write("bad.safetensors", {**metadata, key: value}, tensors)
            for command in commands:
                words = {"info": "", "export": "--int8 -o out"}.get(command, "text.csv")
                wanted = "incomplete" if value == "[1]" and key == "frugal.features" else message
                expect(key, f"sparse-train {command} bad.safetensors {words}", 65, wanted, len(value))
    tensor_file.write("bad.safetensors", {**metadata, "model.training": long_name(400_000, 40_000)}, tensors)
    expect("long name", "sparse-train info bad.safetensors", 65, "names of nested values", 900_000)


def events():
    """A few events among 2^28 nodes."""
    made = usage("tgn-train generate --events 300 --nodes 50 --features 0 -q -o e.safetensors".split())
    assert made[0] == 0, made
    metadata, tensors = tensor_file.read("e.safetensors")
    tensor_file.write("e.safetensors", {**metadata, "tgn.nodes": str(2**28)}, tensors)
    expect("nodes", "tgn-train train e.safetensors --memory-dim 4 --time-dim 4 --steps 2 -o out", 65,
           "has 268435456 nodes and 300 events", 12_000)


def tables(deep):
    """JSON Lines of clicks and events: values that are deep or many in a column without use, and many names."""
    for name, command, row in [("clicks", "robe-compress train @ -o out --epochs 1", '{"click":1,"user":"u%d"%s}\n'),
                               ("events", "tgn-train import @ -o out.safetensors", '{"time":%d,"source":1,"target":2%s}\n')]:
        good = "".join(row % (i, "") for i in range(40))
        attack(name, "jsonl", good + row % (50, ',"more":' + "[" * 300_000 + "]" * 300_000), command, 65, deep)
        attack(name + "-values", "jsonl", good + row % (50, ',"more":[' + "1," * 600_000 + "1]"), command, 65, "more than 524288 values")
    names = "".join(f',"k{i}":1' for i in range(70_000))
    attack("events-names", "jsonl", '{"time":0,"source":1,"target":2%s}\n' % names, command, 65, "columns")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    BASE = usage(["hw-probe", "--version"])[3]
    DEEP = "nested more than 64 deep"
    for name, text, message in [
            ("objects", '{"a":' * 100_000 + "1" + "}" * 100_000, DEEP), ("lists", "[" * 1_100_000 + "]" * 1_100_000, DEEP),
            ("mixed", '[{"a":' * 100_000 + "1" + "}]" * 100_000, DEEP), ("wide", wide(200_000), "names of figures"),
            ("empty", "[" + "[]," * 1_000_000 + "[]]", "more than 524288 values"),
            ("long name", long_name(30_000, 5_000), "names of nested values"),
            ("many lines", '1}\n' + "".join('{"x":' + long_name(2000, 1000).replace('"k', f'"{i}k') + "}\n" for i in range(60)) +
             '{"x":1', "names of figures")]:
        attack(name.replace(" ", "-"), "jsonl", log(text), "hw-probe advise @ --machines a100", 65, message)
        attack(name.replace(" ", "-"), "jsonl", log(text), "hw-probe calibrate @ --machine a100 -o out", 65, message)
    attack("settings", "jsonl", log("1", "a: [" + "[" * 100_000), "hw-probe advise @ --machines a100", 65, "nested too deep")
    attack("long-settings", "jsonl", log("1", "#" * 300_000), "hw-probe advise @ --machines a100", 65, "larger than 256")
    machine = '{"cpus_usable":1,"x":'
    for name, text, message in [("objects", '{"a":' * 70_000 + "1" + "}" * 70_000, DEEP), ("lists", "[" * 99_999 + "]" * 99_999, DEEP),
                                ("long-name", long_name(30_000, 5_000), "names of nested values")]:
        attack(name, "json", machine + text + "}", "hw-probe detect --diff @ @", 65, message)
    attack("wide", "json", machine + wide(60_000) + "}", "hw-probe detect --diff @ @", 0, "")
    attack("long", "json", machine + wide(100_000) + "}", "hw-probe detect --diff @ @", 65, "larger than 1.0 MiB")
    bench = '{"cpu_model":"x","threads":1,"figures":%s,"levels":%s}'
    attack("deep", "json", "[" * 200_000, "hw-probe advise criteo --machines @", 65, DEEP)
    attack("levels", "json", bench % ('{"peak/f32/1":{"best":1},' + wide(20_000)[1:], wide(100_000)),
           "hw-probe advise criteo --machines @", 65, "expected at most 16")
    stages = "title: x\nepoch-samples: 1\nbatch: 1\nstages: [" + ",".join(f"s{i}" for i in range(30_000)) + "]\n"
    attack("stages", "yaml", stages, "hw-probe advise @ --machines a100", 2, "expected at most 64")
    for name, text in [("flow", "["), ("dashes", "- "), ("maps", "{a: "), ("keys", "? "), ("anchors", "&a [")]:
        attack(name, "yaml", text * (211_000 // len(text)), "hw-probe advise @ --machines a100", 2, "not valid YAML")
        expect(name, f"hw-probe detect --set verbose=[{text.replace(' ', '') * 20_000}]", 2, "", 100_000)
    expect("sum", "hw-probe detect --set verbose=[2147483647,1]", 2, "expected a whole number", 0)
    with open("t.jsonl", "w", encoding="utf-8") as out:
        out.write('{"label":"a","text":"x"}\n' * 40 + '{"label":"b","text":' + "[" * 300_000 + "]" * 300_000 + "}\n")
    expect("examples", "sparse-train train t.jsonl -o out", 65, DEEP, 600_000)
    tables(DEEP)
    models()
    events()
sys.exit(failed)
