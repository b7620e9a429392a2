"""One small model, array or checkpoint of every kind that the trainers write, and the commands that read each. '@' stands for
the file. They are made beside the files of victims.py, which they are trained on."""
import tensor_file
import victims

SPARSE = ["--hidden", "4", "--epochs", "1", "--min-count", "1"]
CLICKS = ["--top", "4", "--dim", "4", "--epochs", "1"]
DLRM = ["--bottom", "4", *CLICKS]

# Name, data, options of the training.
TEXTS = [("dense-words", "text.csv", ["--architecture", "dense", "--keep-names", *SPARSE]),
         ("dense-layers", "text.csv", ["--architecture", "dense", "--layers", "3", *SPARSE]),
         ("tree-words", "text.csv", ["--architecture", "tree", "--min-count", "1"]),
         ("columns", "columns.csv", ["--label-column", "l", "--architecture", "dense", *SPARSE])]
ROWS = [("pure-tree", "sparse.txt", ["--architecture", "tree"]),
        ("trees", "sparse.txt", ["--architecture", "tree", "--trees", "2", "--leaf-size", "2", "--tree-arity", "2"]),
        ("hybrid", "sparse.txt", ["--architecture", "hybrid", "--hidden", "4", "--epochs", "1"]),
        ("lsh", "sparse.txt", ["--architecture", "lsh", "--hidden", "4", "--epochs", "1"]),
        ("shared", "sparse.txt", ["--architecture", "shared", "--hidden", "4", "--epochs", "1"])]
INT8 = ["dense-words", "pure-tree", "trees", "hybrid", "shared"]
EMBEDDINGS = [(f"robe-{method}", "clicks.csv", ["--method", method, *DLRM, *([] if method == "full" else ["--compression", "2"])])
              for method in ("full", "hash", "qr", "int8", "int4", "multi")]
EMBEDDINGS += [("robe-hot", "clicks.csv", ["--method", "robe-hot", "--hot-share", "0.5", "--compression", "2", *DLRM]),
               *((f"robe-{storage}", "clicks.csv", ["--storage", storage, "--compression", "2", *DLRM])
                 for storage in ("f32", "bf16", "int4-array")),
               ("robe-dcn", "clicks.csv", ["--architecture", "dcn", "--compression", "2", *CLICKS]),
               ("robe-deepfm", "clicks.csv", ["--architecture", "deepfm", "--compression", "2", *CLICKS])]
GINE = ["--architecture", "gine"]
WEIGHTED = ["--architecture", "gcn", "--edge-weights"]
DRAWN = ["--method", "weighted"]
TYPED = ["--architecture", "rgcn", "--fanouts", "3,2", "--hidden", "4", "--input-size", "4", "--norm", "layer", "--epochs", "1"]
RGAT = [*(o.replace("rgcn", "rgat") for o in TYPED), "--heads", "2", "--output-heads", "2"]
HGT = [*(o.replace("rgcn", "hgt") for o in TYPED), "--heads", "2", "--attention-dropout", "0.2"]
TYPED_LINKS = [*TYPED, "--task", "links", "--relation", "tag:of:page", "--embedding", "4", "--held-out", "0.4"]
SIGN = ["--architecture", "sign", "--hidden", "4", "--epochs", "1"]
SAGN = ["--architecture", "sagn", "--hidden", "4", "--heads", "2", "--attention-dropout", "0.2", "--epochs", "1"]
HOGA = [o.replace("sagn", "hoga") for o in SAGN]
HOPS = [("gnn-sign", SIGN), ("gnn-sagn", SAGN), ("gnn-hoga", HOGA)]
GRAPHS = [("gnn-gat", ["--architecture", "gat", "--heads", "2", "--head-layers", "1"]),
          ("gnn-gatv2", ["--architecture", "gatv2", "--heads", "2", "--output-heads", "2"]),
          ("gnn-gin", ["--architecture", "gin", "--batch-norm", "--train-epsilon"]),
          ("gnn-gcn", ["--architecture", "gcn", "--norm", "layer", "--residual", "--head-layers", "1", "--jumping", "sum"]),
          ("gnn-sage-ri", ["--architecture", "sage-ri", "--batch-norm"]),
          ("gnn-embedding", ["--input", "features,degree,embedding", "--input-size", "4"]),
          ("gnn-projection", ["--input", "features,projection", "--input-size", "4"]),
          ("gnn-links", ["--task", "links", "--embedding", "4"])]
STREAMS = [("tgn-pairs", ["--pair-features"]),
           ("tgn-jodie", ["--architecture", "jodie"]),
           ("tgn-dyrep", ["--architecture", "dyrep", "--memory", "exact"]),
           ("tgn-exact", ["--memory", "exact", "--memory-dtype", "bf16"]),
           ("tgn-pyg", ["--architecture", "pyg", "--memory", "read"]),
           ("tgn-mean", ["--architecture", "tgn-mean", "--memory", "exact"]),
           ("tgn-no-mem", ["--architecture", "tgn-no-mem"]),
           ("tgn-tpnet", ["--architecture", "tpnet"]),
           ("tgn-tncn", ["--architecture", "tncn"])]
AFFINITY = [("affinity-mix", ["--every", "20"]), ("affinity-average", ["--every", "20", "--mix", "none"])]
NUMBER_LABELS = ["--task", "event-label", "--from", "tgn-classes.safetensors", "--epochs", "2"]
ALONE = ["--task", "event-label", "--event-features", "--epochs", "2"]
CHECKPOINTS = [("sparse-train", f"checkpoint-{name}", data, options) for name, data, options in TEXTS[2:3] + ROWS]
CHECKPOINTS += [("robe-compress", f"checkpoint-{name}", data, options)
                for name, data, options in EMBEDDINGS if name in ("robe-hot", "robe-qr", "robe-dcn")]
CHECKPOINTS += [("gnn-sample", f"checkpoint-{name}", "graph.safetensors", [*victims.GRAPH, *options])
                for name, options in GRAPHS if name in ("gnn-gin", "gnn-links", "gnn-embedding")]
CHECKPOINTS += [("tgn-train", f"checkpoint-{name}", "events.safetensors", [*victims.EVENTS, *options])
                for name, options in STREAMS if name in ("tgn-pairs", "tgn-exact", "tgn-tpnet", "tgn-tncn")]


def name_of(kind):
    return f"{kind}.safetensors"


def make_seeds(run):
    """Those of victims.py, too; run(words...) starts a tool in the folder."""
    victims.make_seeds(run)
    with open("columns.csv", "w") as out:
        out.write("l,t,c,n,d\n")
        out.writelines(f"{'ab'[i % 2]},one {i % 3},k{i % 4},{i % 7}.5,2024-01-0{1 + i % 9}\n" for i in range(60))
    with open("named.csv", "w") as out:
        out.writelines(f"u{i % 7},v{i * 5 % 11},{i},0,{i % 3}\n" for i in range(120))
    for name, data, options in TEXTS + ROWS:
        run("sparse-train", "train", data, *options, "-q", "-o", name_of(name))
    for name in INT8:
        run("sparse-train", "export", name_of(name), "--int8", "-q", "-o", name_of(f"{name}-int8"))
    for name, data, options in EMBEDDINGS:
        run("robe-compress", "train", data, *(o.removesuffix("-array") for o in options), "-q", "-o", name_of(name))
    tensor_file.write("features.safetensors", {"frugal.version": "1"},
                      {"features": tensor_file.Tensor("F32", [60, 8], bytes(range(60)) * 32)})
    run("robe-compress", "compress", "features.safetensors", "--compression", "2", "-q", "-o", "features-array.safetensors")
    with open("ring.csv", "w") as edges, open("classes.txt", "w") as classes:
        edges.writelines(f"{i},{(i + 1) % 60}\n" for i in range(60))
        classes.writelines(f"{i % 3}\n" for i in range(60))
    run("gnn-sample", "import", "ring.csv", "--features", "features-array.safetensors", "--labels", "classes.txt",
        "--split", "10-per-class,10,10", "-q", "-o", name_of("graph-array"))
    with open("numbers.txt", "w") as out:
        out.writelines(f"{i % 5}.5\n" for i in range(60))
    run("gnn-sample", "import", "ring.csv", "--features", "columns.csv", "--labels", "numbers.txt", "--word-features", "4",
        "-q", "-o", name_of("graph-table"))
    run("gnn-sample", "train", name_of("graph-table"), *victims.GRAPH, "-q", "-o", name_of("gnn-table"))
    with open("ring-rows.csv", "w") as rows:
        rows.writelines(f"{i % 4},{i / 60}\n" for i in range(60))
    run("gnn-sample", "import", "ring.csv", "--edge-features", "ring-rows.csv", "--labels", "classes.txt", "-q", "-o", name_of("graph-rows"))
    run("gnn-sample", "train", name_of("graph-rows"), *victims.GRAPH, *GINE, "-q", "-o", name_of("gnn-gine"))
    for kind, options in HOPS:
        run("gnn-sample", "train", "graph.safetensors", *options, "-q", "-o", name_of(kind))
    run("gnn-sample", "import", "--edges", "tag:of:page=ring.csv", "--edges", "page:to:page=ring.csv", "--features",
        "page=numbers.txt", "--labels", "page=classes.txt", "--undirected", "-q", "-o", name_of("graph-types"))
    run("gnn-sample", "train", name_of("graph-types"), *TYPED, "-q", "-o", name_of("gnn-types"))
    run("gnn-sample", "train", name_of("graph-types"), *RGAT, "-q", "-o", name_of("gnn-rgat"))
    run("gnn-sample", "train", name_of("graph-types"), *HGT, "-q", "-o", name_of("gnn-hgt"))
    run("gnn-sample", "train", name_of("graph-types"), *TYPED_LINKS, "-q", "-o", name_of("gnn-typed-links"))
    run("gnn-sample", "train", name_of("graph-types"), *TYPED, "--checkpoint", name_of("checkpoint-gnn-types"),
        "--checkpoint-every", "0s", "-q", "-o", "unused.safetensors")
    run("gnn-sample", "generate", "--scale", "60", "--weights", "-q", "-o", name_of("graph-weighted"))
    run("gnn-sample", "train", name_of("graph-weighted"), *victims.GRAPH, *WEIGHTED, "-q", "-o", name_of("gnn-weighted"))
    run("gnn-sample", "train", name_of("graph-weighted"), *victims.GRAPH, *DRAWN, "-q", "-o", name_of("gnn-drawn"))
    for name, options in GRAPHS:
        run("gnn-sample", "train", "graph.safetensors", *victims.GRAPH, *options, "-q", "-o", name_of(name))
    for name, options in STREAMS:
        run("tgn-train", "train", "events.safetensors", *victims.EVENTS, *options, "-q", "-o", name_of(name))
    # A mix is chosen with 300 validation events or more.
    run("tgn-train", "generate", "--scale", "8", "--features", "2", "-q", "-o", name_of("events-mixed"))
    run("tgn-train", "train", name_of("events-mixed"), *victims.EVENTS, "-q", "-o", name_of("tgn-mixed"))
    run("tgn-train", "predict", name_of("tgn-mixed"), "late.csv", "--history", name_of("events-mixed"), "--save-state",
        name_of("state-mixed"), "-q")
    run("tgn-train", "predict", name_of("tgn-pairs"), "late.csv", "--history", "events.safetensors", "--save-state",
        name_of("state-pairs"), "-q")
    run("tgn-train", "import", "named.csv", "--bipartite", "yes", "-q", "-o", name_of("events-named"))
    run("tgn-train", "train", name_of("events-named"), *victims.EVENTS, "--pair-features", "-q", "-o", name_of("tgn-named"))
    with open(name_of("events"), "rb") as events, open(name_of("events-more"), "wb") as more:
        more.write(events.read().replace(b'"tgn.nodes":"60"', b'"tgn.nodes":"61"'))
    with open("classes.csv", "w") as out:
        out.write("src,dst,time,label\n")
        out.writelines(f"{i % 7},{7 + i * 5 % 11},{i},{'abc'[i % 3]}\n" for i in range(120))
    with open("classes-late.csv", "w") as out:
        out.write("src,dst,time,label\n1,8,200,a\n2,9,200,b\n1,8,201,\n")
    run("tgn-train", "import", "classes.csv", "--label-type", "class", "-q", "-o", name_of("events-classes"))
    run("tgn-train", "train", name_of("events-classes"), *victims.EVENTS, "-q", "-o", name_of("tgn-classes"))
    run("tgn-train", "train", name_of("events-classes"), "--task", "event-label", "--from", name_of("tgn-classes"), "--epochs",
        "1", "-q", "-o", name_of("tgn-labels"))
    run("tgn-train", "predict", name_of("tgn-labels"), "classes.csv", "--save-state", name_of("state-labels"), "-q")
    with open("numbers.csv", "w") as out:
        out.write("src,dst,time,label\n")
        out.writelines(f"{i % 7},{7 + i * 5 % 11},{i},{i % 3 + 0.5}\n" for i in range(120))
    run("tgn-train", "import", "numbers.csv", "--label-type", "number", "-q", "-o", name_of("events-numbers"))
    run("tgn-train", "train", name_of("events-numbers"), *NUMBER_LABELS, "--checkpoint", name_of("checkpoint-numbers"),
        "--checkpoint-every", "0s", "-q", "-o", name_of("tgn-numbers"))
    run("tgn-train", "predict", name_of("tgn-numbers"), "numbers.csv", "--save-state", name_of("state-numbers"), "-q")
    with open("alone.csv", "w") as out:
        out.write("src,dst,time,label,f\n")
        out.writelines(f"{i % 7},{7 + i * 5 % 11},{i},{'abc'[i % 3]},{i * i % 900}\n" for i in range(120))
    with open("alone-late.csv", "w") as out:
        out.write("src,dst,time,label,f\n1,8,200,a,3\n2,9,200,b,900\n1,8,201,,5\n")
    with open("alone-nodes.csv", "w") as out:
        out.writelines(f"{i % 3},{i / 18}\n" for i in range(18))
    run("tgn-train", "import", "alone.csv", "--label-type", "class", "--node-features", "alone-nodes.csv", "-q", "-o",
        name_of("events-alone"))
    run("tgn-train", "train", name_of("events-alone"), *ALONE, "--checkpoint", name_of("checkpoint-alone"),
        "--checkpoint-every", "0s", "-q", "-o", name_of("tgn-alone"))
    run("tgn-train", "predict", name_of("tgn-alone"), "alone-late.csv", "--history", name_of("events-alone"), "--save-state",
        name_of("state-alone"), "-q")
    with open("types.csv", "w") as out:
        out.write("src,dst,time,edge_type\n")
        out.writelines(f"{i % 7},{7 + i * 5 % 11},{i},{'abc'[i % 3]}\n" for i in range(2100))
    with open("types-late.csv", "w") as out:
        out.write("src,dst,time,edge_type\n1,8,2200,a\n2,9,2200,b\n1,8,2201,c\n")
    run("tgn-train", "import", "types.csv", "-q", "-o", name_of("events-types"))
    run("tgn-train", "train", name_of("events-types"), *victims.EVENTS, "--pair-features", "-q", "-o", name_of("tgn-types"))
    with open("types-mid.csv", "w") as out:
        out.write("src,dst,time,edge_type\n1,8,2150,a\n3,9,2151,c\n")
    run("tgn-train", "predict", name_of("tgn-types"), "types-mid.csv", "--history", name_of("events-types"), "--save-state",
        name_of("state-types"), "-q")
    for name, options in AFFINITY:
        run("tgn-train", "train-affinity", "events.safetensors", *options, "-q", "-o", name_of(name))
    for tool, name, data, options in CHECKPOINTS:
        run(tool, "train", data, *options, "--checkpoint", name_of(name), "--checkpoint-every", "0s", "-q", "-o",
            "unused.safetensors")


def sparse_commands(data):
    return [f"sparse-train predict @ {data}", f"sparse-train eval @ {data}", "sparse-train info @",
            "sparse-train export @ --int8 -o out", f"sparse-train predict @ {data} --explain",
            f"sparse-train train {data} --init @ --epochs 1 -o out"]


ROBE = ["robe-compress eval @ clicks.csv", "robe-compress predict @ clicks.csv", "robe-compress expand @ -o out",
        "robe-compress lookup @ ids.txt --table a -o out", "robe-compress compress @ --compression 2 -o out",
        "robe-compress train clicks.csv --init @ --epochs 1 -o out"]
GNN = ["gnn-sample predict @ graph.safetensors -o out", "gnn-sample eval @ graph.safetensors"]
# The memory is moved to the nodes of the second stream, which has one more.
TGN = [f"tgn-train {command}" for events in ("events", "events-more")
       for command in (f"eval @ {events}.safetensors", f"predict @ late.csv --history {events}.safetensors",
                       f"embed @ {events}.safetensors -o out")]
TGN += ["tgn-train predict @ late.csv"]

COMMANDS = {**victims.COMMANDS,
            "text.safetensors": [*victims.COMMANDS["text.safetensors"], *sparse_commands("text.csv")],
            "clicks.safetensors": [*victims.COMMANDS["clicks.safetensors"], *ROBE],
            "tgn.safetensors": TGN}
for kind, text, _ in TEXTS + ROWS:
    COMMANDS[name_of(kind)] = sparse_commands(text)
    if kind in INT8:
        COMMANDS[name_of(f"{kind}-int8")] = sparse_commands(text)
for kind, _, _ in EMBEDDINGS:
    COMMANDS[name_of(kind)] = ROBE
for kind, _ in GRAPHS + HOPS:
    COMMANDS[name_of(kind)] = GNN
COMMANDS[name_of("gnn-gine")] = [command.replace("graph.safetensors", "graph-rows.safetensors") for command in GNN]
COMMANDS[name_of("graph-rows")] = [f"gnn-sample train @ {' '.join([*victims.GRAPH, *GINE])} -o out",
                                   "gnn-sample predict gnn-gine.safetensors @ -o out"]
for kind in "gnn-weighted", "gnn-drawn":
    COMMANDS[name_of(kind)] = [command.replace("graph.safetensors", "graph-weighted.safetensors") for command in GNN]
COMMANDS[name_of("graph-weighted")] = [f"gnn-sample train @ {' '.join([*victims.GRAPH, *WEIGHTED])} -o out",
                                       "gnn-sample predict gnn-weighted.safetensors @ -o out"]
for kind in ("gnn-types", "gnn-rgat", "gnn-hgt"):
    COMMANDS[name_of(kind)] = [command.replace("graph.safetensors", "graph-types.safetensors") for command in GNN]
COMMANDS[name_of("gnn-typed-links")] = [f"gnn-sample predict @ graph-types.safetensors --seed-type {kind} -o out"
                                        for kind in ("tag", "page")]
COMMANDS[name_of("graph-types")] = [f"gnn-sample train @ {' '.join(TYPED)} -o out", f"gnn-sample train @ {' '.join(TYPED_LINKS)} -o out",
                                    "gnn-sample predict gnn-types.safetensors @ -o out"]
COMMANDS[name_of("checkpoint-gnn-types")] = [f"gnn-sample train {name_of('graph-types')} {' '.join(TYPED)} --checkpoint @ "
                                             "--resume -o out"]
for kind, _ in STREAMS:
    COMMANDS[name_of(kind)] = TGN
COMMANDS[name_of("tgn-pyg")] = [*TGN, "tgn-train export @ --ipu events.safetensors -o out"]
COMMANDS[name_of("tgn-dyrep")] = [command for command in TGN if "predict" not in command]
for kind in ("tgn-tpnet", "tgn-tncn"):
    COMMANDS[name_of(kind)] = [command for command in TGN if "embed" not in command]
COMMANDS[name_of("tgn-named")] = [command.replace("events.safetensors", "events-named.safetensors") for command in TGN[:3]]
COMMANDS[name_of("tgn-mixed")] = [command.replace("events.safetensors", "events-mixed.safetensors") for command in TGN[:2]]
COMMANDS[name_of("state-mixed")] = ["tgn-train predict tgn-mixed.safetensors late.csv --state @",
                                    "tgn-train predict tgn-mixed.safetensors late.csv --state @ --save-state out"]
COMMANDS[name_of("tgn-labels")] = ["tgn-train eval @ events-classes.safetensors", "tgn-train predict @ classes.csv",
                                   "tgn-train predict @ classes-late.csv --history events-classes.safetensors"]
COMMANDS[name_of("events-classes")] = ["tgn-train eval tgn-labels.safetensors @",
                                       "tgn-train predict tgn-labels.safetensors classes-late.csv --history @",
                                       "tgn-train train @ --task event-label --from tgn-classes.safetensors --epochs 1 -o out"]
COMMANDS[name_of("tgn-types")] = ["tgn-train eval @ events-types.safetensors",
                                  "tgn-train predict @ types-late.csv --history events-types.safetensors"]
COMMANDS[name_of("events-types")] = ["tgn-train eval tgn-types.safetensors @",
                                     "tgn-train predict tgn-types.safetensors types-late.csv --history @",
                                     f"tgn-train train @ {' '.join(victims.EVENTS)} -o out"]
COMMANDS[name_of("state-types")] = ["tgn-train predict tgn-types.safetensors types-late.csv --state @ --save-state out"]
COMMANDS[name_of("state-numbers")] = ["tgn-train predict tgn-numbers.safetensors numbers.csv --state @ --save-state out"]
COMMANDS[name_of("checkpoint-numbers")] = [
    " ".join(["tgn-train train events-numbers.safetensors", *NUMBER_LABELS, "--checkpoint @ --resume -o out"])]
COMMANDS[name_of("state-labels")] = ["tgn-train predict tgn-labels.safetensors classes-late.csv --state @ --save-state out"]
COMMANDS[name_of("tgn-alone")] = ["tgn-train eval @ events-alone.safetensors", "tgn-train embed @ events-alone.safetensors -o out",
                                  "tgn-train predict @ alone-late.csv --history events-alone.safetensors"]
COMMANDS[name_of("events-alone")] = ["tgn-train predict tgn-alone.safetensors alone-late.csv --history @",
                                     f"tgn-train train @ {' '.join(ALONE)} -o out"]
COMMANDS[name_of("state-alone")] = ["tgn-train predict tgn-alone.safetensors alone.csv --state @ --save-state out"]
COMMANDS[name_of("checkpoint-alone")] = [
    " ".join(["tgn-train train events-alone.safetensors", *ALONE, "--checkpoint @ --resume -o out"])]
for kind, _ in AFFINITY:
    COMMANDS[name_of(kind)] = [f"tgn-train eval-affinity @ {events}.safetensors" for events in ("events", "events-more")]
    COMMANDS[name_of(kind)] += ["tgn-train predict-affinity @ events.safetensors", "tgn-train eval @ events.safetensors"]
COMMANDS[name_of("graph-table")] = ["gnn-sample train @ --fanouts 3,2 --hidden 4 --epochs 1 -o out",
                                    "gnn-sample import ring.csv --features columns.csv --features-like @ -o out",
                                    "gnn-sample sample @ --fanouts 3,2 -o out"]
COMMANDS[name_of("gnn-table")] = [f"gnn-sample predict @ {name_of('graph-table')} -o out.csv",
                                  f"gnn-sample eval @ {name_of('graph-table')}",
                                  "gnn-sample import ring.csv --features columns.csv --features-like @ -o out"]
COMMANDS[name_of("graph-array")] = ["gnn-sample train @ --fanouts 3,2 --hidden 4 --epochs 1 -o out",
                                    "gnn-sample sample @ --fanouts 3,2 -o out"]
COMMANDS[name_of("state-pairs")] = ["tgn-train predict tgn-pairs.safetensors late.csv --state @",
                                    "tgn-train predict tgn-pairs.safetensors late.csv --state @ --save-state out"]
for tool, kind, source, settings in CHECKPOINTS:
    COMMANDS[name_of(kind)] = [" ".join([tool, "train", source, *settings, "--checkpoint @ --resume -o out"])]
