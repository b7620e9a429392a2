"""Data and commands of the four tools that a GPU is tried with: sizes of a real machine, or tiny ones (SMALL)."""
import os

SMALL = bool(os.environ.get("SMALL"))
WORK = os.environ.get("WORK", "/tmp/gpu-first")
CPUS = len(os.sched_getaffinity(0))
THREADS = ["--threads", str(min(CPUS, 16))]
# Options of training as fast as it goes, each with the settings that its rival has.
FAST = {"robe": ["--precision", "bf16", "--optimizer", "adagrad", "--learning-rate", "0.01"], "tgn": ["--precision", "bf16"],
        "sparse": ["--precision", "bf16", "--optimizer", "adam", "--learning-rate", "0.002"],
        "gnn": ["--precision", "bf16", "--learning-rate", "0.003"]}


def pick(full, small):
    return small if SMALL else full


def path(name):
    return f"{WORK}/{name}"


class Workloads:
    """`run`: the folder of the starters of our programs."""
    def __init__(self, run):
        self.folder = run

    def program(self, name):
        return f"{self.folder}/{name}"

    def data(self):
        """Commands that make the data, in the order in which they are needed."""
        robe = [self.program("robe-compress"), "generate", "--shape", "kaggle", "--seed", "1", "-q", "-f"]
        samples, xmc = pick("300000", "320"), [self.program("bench_generate_xmc"), "amazon-670k"]
        tiny = ["labels=60", "features=300", "features_per_point=10", "test_points=50"]
        return {
            "robe": [*robe, "--samples", samples, "-o", path("train.tsv")],
            "robe test": [*robe, "--samples", pick("60000", "100"), "--from", samples, "-o", path("test.tsv")],
            "tgn": [self.program("tgn-train"), "generate", "--shape", "wikipedia", *pick([], ["--events", "600"]), "-o",
                    path("events.safetensors"), "-q", "-f"],
            "gnn": [self.program("gnn-sample"), "generate", "--shape", "products", "--scale", pick("8", "2000"), "-o",
                    path("graph.safetensors"), "-q", "-f"],
            "sparse few": [*xmc, path("few"), *pick(["points=16384", "test_points=64", "labels=8192", "features=16384"],
                                                    ["points=96", *tiny])],
            "sparse": [*xmc, path("xmc"), *pick(["points=81920", "test_points=16384"], ["points=96", *tiny])],
        }

    def robe(self, device, batch, epochs, *more):
        return [self.program("robe-compress"), "train", path("train.tsv"), "-o", path(f"robe.{device}"), "-f", "--format", "criteo",
                "--compression", "100", "--storage", "f32", "--hash", "robe2021", "--batch-size", str(batch), "--epochs",
                str(epochs), "--device", device, *THREADS, "--json", "-q", *more]

    def robe_test(self, device):
        return [self.program("robe-compress"), "eval", path(f"robe.{device}"), path("test.tsv"), "--device", device, *THREADS,
                "--json", "-q"]

    def sparse(self, device, data, batch, epochs, *more):
        return [self.program("sparse-train"), "train", path(f"{data}/train.txt"), "-o", path(f"sparse.{device}"), "-f", "--hidden",
                pick("128", "16"), "--architecture", "dense", "--loss", "softmax", "--dropout", "0", "--batch-size", str(batch), "--epochs", str(epochs), "--device", device, *THREADS, "--json", "-q",
                *more]

    def sparse_test(self, device, data):
        return [self.program("sparse-train"), "eval", path(f"sparse.{device}"), path(f"{data}/test.txt"), "--device", device, *THREADS,
                "--json", "-q"]

    def gnn(self, device, epochs, *more):
        return [self.program("gnn-sample"), "train", path("graph.safetensors"), "-o", path(f"gnn.{device}"), "-f", "--architecture",
                "sage", "--fanouts", pick("15,10,5", "4,3"), "--eval-fanouts", pick("5,5,5", "4,3"), "--hidden", pick("256", "16"),
                "--dropout", "0.5", "--batch-size", pick("1024", "64"), "--epochs", str(epochs),
                "--eval-every", str(epochs), "--device", device, *THREADS, "--json", "-q", *more]

    def gnn_ladder(self):
        return [self.program("gnn-sample"), "bench", path("graph.safetensors"), "--fanouts", pick("15,10,5", "4,3"), "--batch-size",
                pick("1024", "16"), "--ladder", *pick([], ["--hidden", "8"]), "--device", "cuda", "--rounds", "2", "--round-time",
                pick("1s", "0.1s"), *THREADS, "--json", "-q"]

    def gnn_batches(self, device, seeds, fanouts, output, *more):
        return [self.program("gnn-sample"), "sample", path("graph.safetensors"), "--fanouts", fanouts, "--batch-size",
                pick("1024", "64"), "--seeds", seeds, "--no-features", "--device", device, "--level", "none", "-o", output, "-q", "-f",
                *more]

    def tgn(self, device, batch, steps, *more):
        return self.tgn_epoch(device, batch, "--no-eval", "--skip-events", pick("40000", "100"), "--steps", str(steps), *more)

    def tgn_epoch(self, device, batch, *more):
        """With the average precision of the test part."""
        return [self.program("tgn-train"), "train", path("events.safetensors"), "-o", path(f"tgn.{device}"), "-f", "--weights-only",
                "--epochs", "1", *pick([], ["--memory-dim", "16", "--time-dim", "16"]), "--batch-size", str(batch), "--device", device,
                "--threads", str(min(CPUS, 8)), "--json", "-q", *more]
