#!/usr/bin/env python3
"""TNCN: events a CPU second in training beside tgm-lib's, on the same stream with the same settings.

    tncn.py EVENTS.csv --bin TGN_TRAIN [--python PYTHON] [--runs 3] [--batches 60] [--skip 200] [--threads 1] [--folder FOLDER]

EVENTS.csv: source, destination and time, ascending, nodes from 0 (JODIE's Wikipedia, where destinations follow the sources).
Both train from batch --skip on, whose neighbours have the events before: batches of 200, memories that know none of their
batch's events, 100 numbers, the last 10 neighbours, common neighbours over up to two hops, Adam 1e-4, one negative. Neither has
edge features. The rival gets the neighbours of the batch's nodes, as the authors' code with one hop, so its walks of two hops
end where those neighbours were not looked up. Runs alternate; processor time, user and system, loading left out. tgm-lib's
sampling and lookup of neighbours are outside the time that is taken; tgn-train's are inside.

PYTHON needs: pip install torch torch_geometric numpy tgm-lib. Without it the rival is left out.
"""
import json
import statistics

import beside_tgm

BATCH, NEIGHBORS, DIM, UNITS = 200, 10, 100, 256


def train_rival(path, batches, skip, threads):
    """Trains tgm-lib's TNCN and prints events, CPU seconds and the mean loss as JSON."""
    import time

    import numpy
    import torch
    from tgm.nn import NCNPredictor, TGNMemory
    from tgm.nn.encoder.tgn import GraphAttentionEmbedding, IdentityMessage, LastAggregator
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    rows = numpy.loadtxt(path, delimiter=",")[:, :3].astype("i8")
    nodes, first = int(rows[:, :2].max()) + 1, int(rows[:, 1].min())
    last = [[] for _ in range(nodes)]  # (neighbour, event), the newest at the end
    memory = TGNMemory(nodes, 1, DIM, DIM, IdentityMessage(1, DIM, DIM), LastAggregator())
    encoder = GraphAttentionEmbedding(DIM, DIM, 1, memory.time_enc)
    decoder = NCNPredictor(DIM, UNITS, 1, k=8)
    optimizer = torch.optim.Adam([p for module in (memory, encoder, decoder) for p in module.parameters()], lr=1e-4)
    entropy, generator = torch.nn.functional.binary_cross_entropy_with_logits, numpy.random.default_rng(1)
    when = torch.from_numpy(rows[:, 2])

    def subgraph(seeds):
        """The seeds with their neighbours, edges from neighbours to seeds, and their events."""
        edges = [(v, u, event) for u in seeds for v, event in last[u]]
        known = sorted(set(seeds) | {v for v, _, _ in edges})
        place = {node: number for number, node in enumerate(known)}
        index = torch.tensor([[place[v] for v, _, _ in edges], [place[u] for _, u, _ in edges]], dtype=torch.long).reshape(2, -1)
        return torch.tensor(known), place, index, torch.tensor([event for _, _, event in edges], dtype=torch.long)

    spent, losses = 0.0, []
    for number in range(skip + batches):
        begin, end = number * BATCH, (number + 1) * BATCH
        source, destination = rows[begin:end, 0], rows[begin:end, 1]
        if number >= skip:
            other = generator.integers(first, nodes, BATCH)
            known, place, index, events = subgraph(sorted({*source.tolist(), *destination.tolist(), *other.tolist()}))
            ends = [torch.tensor([[place[u] for u in source.tolist()], [place[v] for v in to.tolist()]]) for to in (destination, other)]
            began = time.process_time()
            optimizer.zero_grad()
            state, updated = memory(known)
            embedded = encoder(state, updated, index, when[events], torch.zeros(len(events), 1))
            logits = [decoder(embedded, index, pairs) for pairs in ends]
            loss = entropy(logits[0], torch.ones(BATCH)) + entropy(logits[1], torch.zeros(BATCH))
            memory.update_state(torch.from_numpy(source), torch.from_numpy(destination), when[begin:end], torch.zeros(BATCH, 1))
            loss.backward()
            optimizer.step()
            memory.detach()
            losses.append(float(loss.detach()))
            spent += time.process_time() - began
        for event in range(begin, end):
            u, v = int(rows[event, 0]), int(rows[event, 1])
            for own, to in ((u, v), (v, u)):
                last[own] = [*last[own][1 - NEIGHBORS:], (to, event)]
    print(json.dumps({"events": batches * BATCH, "cpu": spent, "loss": statistics.mean(losses)}))


if __name__ == "__main__":
    beside_tgm.main(__doc__, __file__, train_rival, ["--architecture", "tncn", "--memory", "exact"], batches=60)
