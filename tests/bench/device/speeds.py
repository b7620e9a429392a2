"""How fast it is: rates of the engines, time of each kernel, each operation beside its floor."""
import re

import nvidia_tools
from bench import in_steps
from workloads import FAST, path, pick

# Size of batches, epochs, and what steps embeddings.
CLICKS = ((16384, 20, "each"), (2048, 5, "each"), (2048, 5, "summed"), (16384, 20, "summed"), (65536, 60, "summed"))


def speed(bench):
    """Rates, and accuracy beside them."""
    work, run, figure = bench.work, bench.steps.run, bench.figure
    for batch, epochs, update in pick(CLICKS, ((64, 2, "each"),)) if bench.has("robe", "robe test") else ():
        name = f"robe, batch {batch}, {update}"
        step = run("speed " + name, 60, work.robe("cuda", batch, epochs, *FAST["robe"], "--update", update))
        figure(name, step, lambda f: f"{f['samples_per_second'] / 1e6:.3f} M samples/s" + in_steps(f))
        figure("  and its test", run("speed test of " + name, 30, work.robe_test("cuda")),
               lambda f: f"AUC {f['auc']:.4f}, {f['samples'] / f['seconds']:.0f} samples/s")
    for batch, steps in pick(((200, 500), (10, 4000)), ((20, 5),)) if bench.has("tgn") else ():
        figure(f"tgn, batch {batch}", run(f"speed tgn {batch}", 60, work.tgn("cuda", batch, steps, *FAST["tgn"])),
               lambda f: f"{f['events_per_second']:.0f} events/s, plans {f['plan_seconds']:.2f} s" + in_steps(f))
    if bench.has("tgn"):
        figure("tgn, an epoch", run("speed tgn epoch", 45, work.tgn_epoch("cuda", pick(200, 20), *FAST["tgn"])),
               lambda f: f"average precision {f['test_average_precision']:.4f}, eval {f['eval_seconds']:.1f} s" + in_steps(f))
    if bench.has("sparse"):
        figure("sparse, 670 k labels", run("speed sparse", 80, work.sparse("cuda", "xmc", pick(4096, 48), 5, *FAST["sparse"])),
               lambda f: f"{5 * f['examples'] / f['fit_seconds']:.0f} points/s" + in_steps(f))
        figure("  and its test", run("speed sparse test", 40, work.sparse_test("cuda", "xmc")),
               lambda f: f"P@1 {100 * f['p_at_1']:.2f}, {f['examples'] / f['seconds']:.0f} points/s")
    for place in ("device", "pinned") if bench.has("gnn") else ():
        figure(f"gnn, features {place}", run(f"speed gnn {place}", 45, work.gnn("cuda", 8, *FAST["gnn"], "--device-features", place)),
               lambda f: f"{f['epoch_seconds']:.3f} s an epoch, waiting {100 * f['waiting_share']:.0f} %, accuracy "
                         f"{f.get('test_accuracy') or 0:.4f}" + in_steps(f))
    if bench.has("gnn"):
        ladder(bench)


def ladder(bench):
    """What each way to bring mini-batches to the device gains."""
    step = bench.steps.run("speed ladder", 60, bench.work.gnn_ladder())
    found = bench.figure("gnn ladder", step, lambda f: f"{f['sampled_edges_per_second'] / 1e6:.1f} M edges/s by the CPU")
    for way in found["ways"] if found else ():
        if "device_waiting_share" in way:
            bench.row("  " + way["name"], f"{way['sampled_edges_per_second'] / 1e6:.1f} M edges/s, the device waits "
                      f"{100 * way['device_waiting_share']:.0f} %")
        elif "left_out" in way:
            bench.row("  " + way["name"], way["left_out"])


def kernels(bench):
    """Kernels of some steps of each engine, after those of the first steps, which also move the data."""
    if not bench.ncu:
        return bench.row("kernels", "no ncu")
    work = bench.work
    engines = {  # how many kernels, after how many
        "robe": (300, 60, work.robe("cuda", pick(16384, 64), 1, *FAST["robe"])),
        "robe summed": (300, 60, work.robe("cuda", pick(16384, 64), 1, *FAST["robe"], "--update", "summed")),
        "tgn": (700, 140, work.tgn("cuda", pick(200, 20), 10, *FAST["tgn"])),
        "sparse": (800, 60, work.sparse("cuda", "xmc", pick(4096, 48), 1, *FAST["sparse"])),
        "gnn": (300, 50, work.gnn("cuda", 1, "--steps", "10", *FAST["gnn"])),
        "gnn sample": (200, 30, work.gnn_batches("cuda", "train", pick("15,10,5", "4,3"), path("cuda.batches")))}
    with open(bench.report.folder + "/kernels.csv", "w", encoding="utf-8") as file:
        file.write("engine,kernel,grid,block,launches,mean_us,least_us,total_us,share\n")
    for name, (count, skip, command) in engines.items():
        if bench.has(name.split()[0]):
            profile(bench, name, count, skip, command)


def profile(bench, name, count, skip, command):
    for fewer in (1, 8):  # fewer kernels where those did not come to their end in time
        step = bench.steps.run(f"ncu {name} {count // fewer}", 40, nvidia_tools.profile(bench.ncu, count // fewer, skip, command), grace=8)
        times = nvidia_tools.kernel_times(step.text())
        if times or step.rc != -9:
            break
    total = sum(map(sum, times.values()))
    if not total:
        return bench.row(f"kernels of {name}", "nothing measured: " + step.why())
    with open(bench.report.folder + "/kernels.csv", "a", encoding="utf-8") as file:
        for (kernel, grid, block), values in sorted(times.items(), key=lambda item: -sum(item[1])):
            file.write(f'{name},"{kernel}",{grid},{block},{len(values)},{sum(values) / len(values):.2f},{min(values):.2f},'
                       f"{sum(values):.1f},{sum(values) / total:.4f}\n")
    ranked = nvidia_tools.by_kernel(times)
    bench.slowest += [kernel.partition("<")[0].rpartition("::")[2] for kernel, _ in ranked[:2]]
    bench.row(f"kernels of {name}", f"{sum(map(len, times.values()))} in {total / 1e3:.2f} ms")
    for kernel, values in ranked[:6]:
        bench.row("  " + kernel[:37], f"{100 * sum(values) / total:4.0f} %, {len(values)} x {sum(values) / len(values):.1f} us")


def floors(bench):
    step = bench.steps.run("floors", 60, [bench.work.program("device_floors"), pick("20", "1")], size=8000)
    lines = [line for line in step.text().splitlines() if line.strip()]
    for line in lines:
        name, _, rest = line.partition("  ")
        bench.row("  " + name, re.sub(r"  +", " ", rest.strip()))
    bench.row("floors", f"{len(lines)} rows, {step.seconds:.0f} s" if step.rc == 0 else step.why())


def detail(bench):
    """ncu's words on the kernels that took longest, or on those that should where no part has looked."""
    if not bench.ncu:
        return bench.row("detail", "no ncu")
    work = bench.work
    slowest = sorted(set(bench.slowest)) or ["page_step", "column_sums", "multiply", "label"]
    engines = {"robe": work.robe("cuda", pick(16384, 64), 1, *FAST["robe"]), "tgn": work.tgn("cuda", pick(200, 20), 5, *FAST["tgn"]),
               "gnn": work.gnn("cuda", 1, "--steps", "4", *FAST["gnn"]),
               "sparse": work.sparse("cuda", "xmc", pick(4096, 48), 1, *FAST["sparse"])}
    for name, command in engines.items():
        if bench.has(name):
            step = bench.steps.run(f"detail {name}", 40, nvidia_tools.explain(bench.ncu, slowest, command), size=40000, grace=8)
            bench.row(f"detail of {name}", "in logs.txt" if step.rc == 0 else step.why())
