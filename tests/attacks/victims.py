"""The files that are attacked, made by the tools themselves, and the commands that read each. '@' stands for the file."""


def make_seeds(run):
    """Small files of every kind; run(words...) starts a tool in the folder."""
    with open("text.csv", "w") as out:
        for i in range(60):
            out.write(f"{'ab'[i % 2]},{'one two three'.split()[i % 3]} {'red green'.split()[i % 2]} word{i % 7}\n")
    with open("sparse.txt", "w") as out:
        out.write("60 20 8\n" + "".join(f"{i % 8},{(i + 1) % 8} {i % 20}:0.5 {(i + 3) % 20}:1\n" for i in range(60)))
    with open("clicks.csv", "w") as out:
        out.write("click,n,a,b\n" + "".join(f"{i % 2},{i % 9}.5,{i % 5},x{i % 7}\n" for i in range(200)))
    with open("ids.txt", "w") as out:
        out.write("0\n1\n2\n")
    with open("late.csv", "w") as out:
        out.write("1,2,99999999,0,0\n")
    text = ["--hidden", "4", "--epochs", "1", "--min-count", "1", "-q"]
    run("sparse-train", "train", "text.csv", "--architecture", "dense", *text, "-o", "text.safetensors")
    run("sparse-train", "train", "sparse.txt", "--architecture", "tree", "-q", "-o", "tree.safetensors")
    run("sparse-train", "convert", "text.csv", "--min-count", "1", "-q", "-o", "data.safetensors")
    run("robe-compress", "train", "clicks.csv", *CLICK, "-q", "-o", "clicks.safetensors")
    run("robe-compress", "expand", "clicks.safetensors", "-q", "-o", "tables.safetensors")
    run("robe-compress", "compress", "tables.safetensors", "--compression", "2", "-q", "-o", "array.safetensors")
    run("gnn-sample", "generate", "--scale", "60", "-q", "-o", "graph.safetensors")
    run("gnn-sample", "train", "graph.safetensors", *GRAPH, "-q", "-o", "gnn.safetensors")
    run("gnn-sample", "partition", "graph.safetensors", "--parts", "3", "-q", "-o", "parts.safetensors")
    with open("links.csv", "w") as out:
        out.write("".join(f"{i},{i * 7 % 20}\n" for i in range(60)))
    run("gnn-sample", "import", "--edges", "a:to:b=links.csv", "--undirected", "-q", "-o", "typed.safetensors")
    run("tgn-train", "generate", "--scale", "20", "--features", "2", "-q", "-o", "events.safetensors")
    run("tgn-train", "train", "events.safetensors", *EVENTS, "-q", "-o", "tgn.safetensors")
    run("tgn-train", "predict", "tgn.safetensors", "late.csv", "--history", "events.safetensors", "--save-state",
        "state.safetensors", "-q")
    for tool, data, options in CHECKPOINTS:
        run(tool, "train", data, *options, "--checkpoint", f"{tool}-checkpoint.safetensors", "--checkpoint-every", "0s",
            "-q", "-o", "unused.safetensors")


CLICK = ["--bottom", "4", "--top", "4", "--dim", "4", "--compression", "2", "--epochs", "1"]
GRAPH = ["--fanouts", "3,2", "--hidden", "4", "--epochs", "1"]
EVENTS = ["--memory-dim", "4", "--time-dim", "4", "--new-nodes", "0", "--steps", "2"]
CHECKPOINTS = [
    ("sparse-train", "text.csv", ["--architecture", "dense", "--hidden", "4", "--epochs", "2", "--min-count", "1"]),
    ("robe-compress", "clicks.csv", CLICK[:-1] + ["2"]),
    ("gnn-sample", "graph.safetensors", GRAPH[:-1] + ["2"]),
    ("tgn-train", "events.safetensors", EVENTS),
]

COMMANDS = {
    "text.safetensors": ["sparse-train predict @ text.csv", "sparse-train eval @ text.csv", "sparse-train info @",
                         "sparse-train export @ --int8 -o out"],
    "tree.safetensors": ["sparse-train predict @ sparse.txt", "sparse-train eval @ sparse.txt",
                         "sparse-train train sparse.txt --init @ -o out"],
    "data.safetensors": ["sparse-train train @ --architecture dense --hidden 4 --epochs 1 -o out",
                         "sparse-train train @ --architecture tree -o out", "sparse-train eval text.safetensors @"],
    "clicks.safetensors": ["robe-compress eval @ clicks.csv", "robe-compress predict @ clicks.csv",
                           "robe-compress expand @ -o out", "robe-compress lookup @ ids.txt --table a -o out"],
    "tables.safetensors": ["robe-compress compress @ --compression 2 -o out"],
    "array.safetensors": ["robe-compress expand @ -o out", "robe-compress lookup @ ids.txt --table a -o out"],
    "graph.safetensors": ["gnn-sample train @ --fanouts 3,2 --hidden 4 --epochs 1 -o out",
                          "gnn-sample sample @ --fanouts 3,2 -o out",
                          "gnn-sample predict gnn.safetensors @ -o out", "gnn-sample eval gnn.safetensors @",
                          "gnn-sample sample @ --walks 5 --seeds all -o out", "gnn-sample partition @ --parts 3 -o out"],
    "parts.safetensors": ["gnn-sample sample graph.safetensors --seeds @:0 --fanouts 3,2 -o out",
                          "gnn-sample train graph.safetensors --feature-parts @ --fanouts 3,2 --hidden 4 --epochs 1 -o out"],
    "typed.safetensors": ["gnn-sample partition @ --parts 3 -o out",
                          "gnn-sample partition @ --parts 3 --method ldg --balance edges -o out",
                          "gnn-sample sample @ --seed-type a --seeds all --fanouts 3,2 -o out"],
    "gnn.safetensors": ["gnn-sample predict @ graph.safetensors -o out", "gnn-sample eval @ graph.safetensors"],
    "events.safetensors": ["tgn-train train @ --memory-dim 4 --time-dim 4 --steps 2 -o out",
                           "tgn-train eval tgn.safetensors @", "tgn-train embed tgn.safetensors @ -o out"],
    "tgn.safetensors": ["tgn-train eval @ events.safetensors", "tgn-train predict @ late.csv --history events.safetensors"],
    "state.safetensors": ["tgn-train predict tgn.safetensors late.csv --state @"],
}
for tool, data, options in CHECKPOINTS:
    COMMANDS[f"{tool}-checkpoint.safetensors"] = [
        " ".join([tool, "train", data, *options, "--checkpoint @ --resume -o out"])]
for victim in ("tables.safetensors", "events.safetensors", "text.safetensors"):
    COMMANDS[victim] += ["tensor-file verify @", "tensor-file convert @ out.tzs"]
