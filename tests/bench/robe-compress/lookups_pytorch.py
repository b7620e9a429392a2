#!/usr/bin/env python3
"""Look-ups a second of PyTorch on one thread, beside `bench_lookups`: 26 full tables, one row a look-up.

    lookups_pytorch.py [--gib 4] [--dims 16,32,64,128] [--batch-size 2048] [--seconds 1] [--json]
                       [--published FOLDER --arrays 1,10,100]

embedding_bag for each table, as the reference DLRM has it, and one embedding of all rows together. FOLDER has the
published ROBE code (hashedEmbeddingCPU.py): a HashedEmbeddingCPU for each table over one array of so many MB, in
blocks of a row. Ids uniform or by Zipf's law with exponent 1.1, as there. CPU time, median of eleven slices;
needs PyTorch in this interpreter.
"""
import argparse
import contextlib
import io
import json
import statistics
import sys
import time

TABLES, ZIPF, SLICES, CALLS = 26, 1.1, 11, 256


def draw(torch, rows, batch, law):
    """Rows [calls, tables, batch]."""
    unit = torch.rand(CALLS, TABLES, batch, dtype=torch.float64)
    if law == "uniform":
        return (unit * rows).long().clamp_(max=rows - 1)
    span = (rows + 1) ** (1 - ZIPF) - 1
    return ((1 + span * unit) ** (1 / (1 - ZIPF)) - 1).long().clamp_(max=rows - 1)


def lookups_per_second(call, calls, per_call, seconds):
    rates, k = [], 0
    for _ in range(SLICES + 1):
        begin, done = time.process_time(), 0
        while time.process_time() - begin < seconds / SLICES:
            call(k)
            k = (k + 1) % calls
            done += 1
        rates.append(done * per_call / (time.process_time() - begin))
    return statistics.median(rates[1:])


def ways(torch, weight, rows, batch):
    """Names, and what a call does with ids [tables, batch]."""
    tables = weight.split(rows)
    offsets = torch.arange(batch)
    first = (torch.arange(TABLES) * rows).view(-1, 1)

    def bags(ids):
        return [torch.nn.functional.embedding_bag(ids[t], table, offsets, mode="sum")
                for t, table in enumerate(tables)]

    yield "embedding_bag a table", bags
    yield "one embedding", lambda ids: torch.nn.functional.embedding(ids + first, weight)


def published(torch, folder, rows, dim, megabytes):
    """Names, and what a call does with ids [tables, batch]."""
    sys.path.insert(0, folder)
    from hashedEmbeddingCPU import HashedEmbeddingCPU
    for size in megabytes:
        array = torch.zeros(size * 1_000_000 // 4)
        with contextlib.redirect_stdout(io.StringIO()):  # it says its random numbers
            tables = [HashedEmbeddingCPU(rows, dim, array, t * rows, dim) for t in range(TABLES)]
        yield f"published ROBE, {size} MB", lambda ids, tables=tables: [t(ids[i]) for i, t in enumerate(tables)]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gib", type=float, default=4)
    parser.add_argument("--dims", default="16,32,64,128")
    parser.add_argument("--batch-size", type=int, default=2048)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--published", metavar="FOLDER")
    parser.add_argument("--arrays", default="1,10,100")
    args = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(1)
    results = []
    for dim in map(int, args.dims.split(",")):
        rows = int(args.gib * 2**30 / 4 / dim / TABLES)
        weight = torch.zeros(TABLES * rows, dim)
        for law in ("uniform", "zipf"):
            ids = draw(torch, rows, args.batch_size, law)
            compared = list(ways(torch, weight, rows, args.batch_size))
            if args.published:
                compared += published(torch, args.published, rows, dim, map(int, args.arrays.split(",")))
            for name, call in compared:
                with torch.no_grad():
                    rate = lookups_per_second(lambda k: call(ids[k]), CALLS, TABLES * args.batch_size, args.seconds)
                results.append({"ids": law, "dim": dim, "tables": name if "ROBE" in name else f"PyTorch, {name}", "millions": rate / 1e6})
        del weight
    if args.json:
        print(json.dumps(results))
        return
    print("| ids | dim | tables | M look-ups/s |\n|---|---:|---|---:|")
    for r in results:
        print(f"| {r['ids']} | {r['dim']} | {r['tables']}, {args.gib:g} GiB | {r['millions']:.1f} |")


if __name__ == "__main__":
    main()
