"""The commands that faults.py and disk_full.py attack, at least one for every command of every tool.
The files in .. are those of victims.py; what a command writes to is `out`, or `out.` and an ending. A command without
such a file answers on its standard output."""
import gzip

import victims

CHECKPOINTS = "--checkpoint run.ckpt --checkpoint-every 1ms"
COMMANDS = [
    "tensor-file info ../graph.safetensors",
    "tensor-file info ../arrays.npz",
    "tensor-file cat ../tables.safetensors --tensor a",
    "tensor-file convert ../graph.safetensors out.tzs -q",
    "tensor-file convert ../graph.safetensors out.npz -q",
    "tensor-file convert - out.safetensors -q < ../stream.tzs",
    "tensor-file verify ../stream.tzs ../arrays.npz",
    "tensor-file diff ../graph.safetensors ../stream.tzs",
    "sparse-train train ../text.csv --hidden 4 --epochs 2 --no-search --report report.html --metrics run.jsonl "
    "--depfile out.d -q -o out " + CHECKPOINTS,
    "sparse-train train ../sparse.txt --architecture tree -q -o out",
    "sparse-train train ../sparse.txt --architecture lsh --hidden 4 --epochs 1 -q -o out",
    "sparse-train eval ../text.safetensors ../text.csv -q --json",
    "sparse-train predict ../text.safetensors -q < ../text.csv",
    "sparse-train predict ../tree.safetensors ../sparse.txt --explain -q -o out",
    "sparse-train tune ../text.csv --architecture dense --trials 2 --epochs 1 -q -o out",
    "sparse-train info ../text.safetensors",
    "sparse-train export ../text.safetensors --int8 -q -o out",
    "sparse-train export ../text.safetensors --embeddings labels -q -o out.npy",
    "sparse-train convert ../text.csv --max-memory 4K -q -o out",
    "robe-compress train ../clicks.csv --bottom 4 --top 4 --dim 4 --compression 2 --epochs 2 -q -o out " + CHECKPOINTS,
    "robe-compress train - --stream --ids hash --bottom 4 --top 4 --dim 4 --compression 2 -q -o out < ../clicks.csv",
    "robe-compress eval ../clicks.safetensors ../clicks.csv -q --json",
    "robe-compress predict ../clicks.safetensors -q < ../clicks.csv",
    "robe-compress predict ../clicks.safetensors ../clicks.csv.gz -q -o out",
    "robe-compress sweep ../clicks.csv --held-out every:3 --method hash --compression 2 --bottom 4 --top 4 --dim 4 "
    "--epochs 1 -q -o out --report report.html",
    "robe-compress compress ../tables.safetensors --compression 2 -q -o out",
    "robe-compress expand ../clicks.safetensors -q -o out",
    "robe-compress lookup ../array.safetensors --table a ../ids.txt -q -o out.npy",
    "robe-compress generate --shape small --samples 20 -q -o out",
    "gnn-sample import ../edges.csv --undirected -q -o out",
    "gnn-sample sample ../graph.safetensors --fanouts 3,2 -q -o out.tzs",
    "gnn-sample sample ../graph.safetensors --fanouts 3,2 --residence mapped -q -o -",
    "gnn-sample train ../graph.safetensors --fanouts 3,2 --hidden 4 --epochs 2 -q -o out " + CHECKPOINTS,
    "gnn-sample eval ../gnn.safetensors ../graph.safetensors -q --json",
    "gnn-sample predict ../gnn.safetensors ../graph.safetensors -q -o out",
    "gnn-sample export --ipu ../gnn.safetensors ../graph.safetensors -q -o out",
    "gnn-sample bench ../graph.safetensors --fanouts 3,2 --rounds 1 -q",
    "gnn-sample generate --scale 60 -q -o out",
    "gnn-sample partition ../graph.safetensors --parts 3 -q -o out",
    "gnn-sample partition ../typed.safetensors --parts 3 -q -o out",
    "gnn-sample sample ../graph.safetensors --seeds ../parts.safetensors:0 --fanouts 3,2 -q -o out",
    "tgn-train import ../late.csv -q -o out",
    "tgn-train generate --scale 20 --features 2 -q -o out",
    "tgn-train train ../events.safetensors --memory-dim 4 --time-dim 4 --new-nodes 0 --epochs 1 --memory-tier disk "
    "-q -o out " + CHECKPOINTS,
    "tgn-train sweep ../events.safetensors --memory-dim 4 --time-dim 4 --batch-size 40 --memory window --precision f32 --epochs 1 -q -o out",
    "tgn-train eval ../tgn.safetensors ../events.safetensors -q --json",
    "tgn-train embed ../tgn.safetensors ../events.safetensors -q -o out",
    "tgn-train predict ../tgn.safetensors --history ../events.safetensors --save-state out -q < ../late.csv",
    "tgn-train predict ../tgn.safetensors ../late.csv --state ../state.safetensors -q -o out",
    "tgn-train train-affinity ../events.safetensors --every 20 --epochs 2 -q -o out",
    "tgn-train eval-affinity ../affinity.safetensors ../events.safetensors -q --forecasts out",
    "tgn-train predict-affinity ../affinity.safetensors ../events.safetensors -q -o out",
    "tgn-train export --ipu ../pyg.safetensors ../events.safetensors -q -o out",
    "hw-probe detect",
    "hw-probe bench --only gemm/f32/30x372x200/1 --quick",
    "hw-probe advise ../work.yaml --machines ../machine.yaml --calibration none",
    "hw-probe calibrate ../run.jsonl --machine ../machine.yaml -q -o out",
]

EXEMPT = {}  # commands that nothing attacks, each with its reason


def make_inputs(run):
    """Those of victims.py and more: run(words...) starts a tool in the folder."""
    victims.make_seeds(run)
    with open("edges.csv", "w", encoding="utf-8") as out:
        out.writelines(f"{i},{i * 7 % 60}\n" for i in range(60))
    with open("machine.yaml", "w", encoding="utf-8") as out:
        # Faster than any machine that runs this: calibrate explains only runs that are slower than the model.
        out.write("title: a machine of round numbers\ndate: 2026-11-26\nhost: {f32-gflops: 20, level-bytes: [1.0e9], "
                  "level-gb-per-s: [20], level-ns: [10], level-in-flight: [20]}\n")
    with open("work.yaml", "w", encoding="utf-8") as out:
        out.write("title: ten GFLOP a step\ntool: tgn-train\nepoch-samples: 1000\nbatch: 100\nstate-bytes: 2.0e8\n"
                  "stages: [train]\ntrain: {sample-flop: 1.0e+8, launches: 10}\n")
    with open("clicks.csv", "rb") as text, gzip.open("clicks.csv.gz", "wb") as out:
        out.write(text.read())
    run("tensor-file", "convert", "graph.safetensors", "stream.tzs", "-q")
    run("tensor-file", "convert", "graph.safetensors", "arrays.npz", "-q")
    run("gnn-sample", "train", "graph.safetensors", *victims.GRAPH, "-q", "-o", "unused.safetensors", "-f", "--metrics", "run.jsonl")
    run("tgn-train", "train", "events.safetensors", "--architecture", "pyg", "--memory", "read", *victims.EVENTS, "-q", "-o",
        "pyg.safetensors")
    run("tgn-train", "train-affinity", "events.safetensors", "--every", "20", "-q", "-o", "affinity.safetensors")
