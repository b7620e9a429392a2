"""PyTorch and PyTorch Geometric on the same card, with the same data and models. TORCH_DEVICE=cpu tries this without one."""
import json
import os
import statistics
import sys

from bench import in_steps
from workloads import path, pick

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEVICE = os.environ.get("TORCH_DEVICE", "cuda")
PROBE = f"import torch; assert '{DEVICE}' == 'cpu' or torch.cuda.is_available(), 'error: PyTorch sees no GPU'"


def rivals(bench):
    probe = bench.steps.run("torch", 60, [sys.executable, "-c", PROBE])
    if probe.rc != 0:
        return bench.row("rivals", "no PyTorch with a GPU: " + probe.why())
    for names, rival in ((("robe", "robe test"), clicks), (("sparse",), labels), (("tgn",), events), (("gnn",), graphs),
                         (("robe", "robe test"), many_clicks)):
        if bench.has(*names):
            rival(bench)


def start(bench, name, limit, script, *options):
    return bench.steps.run(name, limit, [sys.executable, f"{SCRIPTS}/{script}", *options, "--device", DEVICE])


def many_clicks(bench):
    clicks(bench, pick(((65536, 60),), ()))


def clicks(bench, shapes=pick(((2048, 2), (16384, 18)), ((64, 3),))):
    """Steps of PyTorch's array are those of ours with --update summed."""
    for batch, epochs in shapes:
        for way in ([], ["--compile"]):  # compiled: with CUDA graphs
            words = "compiled" if way else "eager"
            step = start(bench, f"torch robe {batch} {words}", 75, "robe-compress/dlrm_pytorch.py", path("train.tsv"), path("test.tsv"),
                         "--compression", "100", "--optimizer", "adagrad", "--learning-rate", "0.01", "--batch-size", str(batch),
                         "--epochs", str(epochs), "--json", *way)
            bench.figure(f"PyTorch {words}, batch {batch}", step,
                         lambda f: f"{f['samples_per_second'] / 1e6:.3f} M samples/s, AUC {f['auc']:.4f}")


def labels(bench):
    for way in (["--compile"], []):
        words, result = "compiled" if way else "eager", path("torch.sparse.json")
        step = start(bench, f"torch sparse {words}", 110, "sparse-train/dense_pytorch.py", path("xmc"), "--hidden", pick("128", "16"),
                     "--batch-size", pick("4096", "32"), "--epochs", "5", "--ours", "", "--bf16", "--json", result, *way)
        said = step.why()
        if step.rc == 0:
            with open(result, encoding="utf-8") as file:
                found = json.load(file)[0]
            said = (f"{found['examples'] / found['epoch_wall']:.0f} points/s, P@1 {100 * found['p1']:.2f}, "
                    f"{found.get('gpu_memory', 0) >> 20} MiB" + bench.watch.words(step))
        bench.row(f"PyTorch {words}, 670 k labels", said)


def events(bench):
    for batch, steps in pick(((200, 500), (10, 4000)), ((20, 5),)):
        ours = bench.steps.run(f"ours pyg {batch}", 40, bench.work.tgn("cuda", batch, steps, "--architecture", "pyg", "--refresh", "none"))
        bench.figure(f"tgn of PyG's shape, batch {batch}", ours, lambda f: f"{f['events_per_second']:.0f} events/s" + in_steps(f))
        step = start(bench, f"pyg tgn {batch}", 45, "tgn-train/pyg_reference.py", path("events.safetensors"), "--batch-size",
                     str(batch), "--threads", "8", "--seconds", pick("8", "1"))
        bench.figure(f"PyG's TGN, batch {batch}", step, lambda f: f"{f['events_per_second']:.0f} events/s")


def graphs(bench):
    """PyG's GraphSAGE on our sampler's mini-batches, which lie on the card before the clock starts, for its own samplers need
    packages that few machines have. So its epoch has no sampling in it, and ours has."""
    shape = ["--batch-size", pick("1024", "64"), "--hidden", pick("256", "16"), "--fanouts", pick("15,10,5", "4,3")]
    for seeds, fanouts in (("train", pick("15,10,5", "4,3")), ("test", pick("5,5,5", "4,3"))):
        bench.steps.run(f"batches {seeds}", 40, bench.work.gnn_batches("cpu", seeds, fanouts, path(seeds + ".batches"), "--semantics",
                                                                       "frontier", "--layout", "coo"))
    step = start(bench, "pyg gnn", 90, "gnn-sample/training_rivals.py", path("graph.safetensors"), "--way", "pyg-given", "--stream",
                 path("train.batches"), "--test-stream", path("test.batches"), "--epochs", "8", *shape)
    bench.figure("PyG's SAGE on our mini-batches", step, lambda f: f"{statistics.median(f['epoch_seconds']):.3f} s an epoch without "
                 f"sampling, accuracy {f['accuracy']:.4f}")
