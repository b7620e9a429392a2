#!/usr/bin/env python3
"""TPNet: events a CPU second in training beside tgm-lib's, on the same stream with the same settings.

    tpnet.py EVENTS.csv --bin TGN_TRAIN [--python PYTHON] [--runs 3] [--batches 40] [--skip 200] [--threads 1] [--folder FOLDER]

EVENTS.csv: source, destination and time, ascending, nodes from 0 (JODIE's Wikipedia, where destinations follow the sources).
Both train from batch --skip on, whose neighbours and walks have the events before: batches of 200, 20 neighbours,
two MLP-Mixers of 172 channels, time encodings of 100 numbers, walks of up to 3 hops in 120 numbers, decay 1e-6, dropout 0.1,
Adam 1e-4, one negative. Neither has edge features. Runs alternate; medians of processor time,
user and system, loading left out. tgm-lib samples in its loader, outside the time that is taken; tgn-train's sampling is inside.

PYTHON needs: pip install torch torch_geometric numpy tgm-lib. Without it the rival is left out.
"""
import json
import statistics

import beside_tgm

BATCH, HOPS, NEIGHBORS, CHANNELS, TIME_DIM = 200, 3, 20, 172, 100


def train_rival(path, batches, skip, threads):
    """Trains tgm-lib's TPNet and prints events, CPU seconds and the mean loss as JSON."""
    import time

    import numpy
    import torch
    from tgm import DGraph
    from tgm.data import DGData, DGDataLoader
    from tgm.hooks import HookManager, NegativeEdgeSamplerHook, RecencyNeighborHook
    from tgm.nn import LinkPredictor, RandomProjectionModule, TPNet
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    rows = numpy.loadtxt(path, delimiter=",")[:, :3].astype("i8")
    events = len(rows)
    rows = torch.from_numpy(rows[:(skip + batches) * BATCH])
    source, destination, when = rows[:, 0], rows[:, 1], rows[:, 2]
    nodes = int(rows[:, :2].max()) + 1
    graph = DGraph(DGData.from_raw(edge_time=when, edge_index=rows[:, :2].int(), edge_x=torch.zeros(len(rows), 1), time_delta="s"))
    hooks = HookManager(keys=["train"])
    hooks.register("train", NegativeEdgeSamplerHook(int(destination.min()), nodes))
    hooks.register("train", RecencyNeighborHook(num_nodes=nodes, num_nbrs=[NEIGHBORS], seed_nodes_keys=["edge_src", "edge_dst", "neg"],
                                                seed_times_keys=["edge_time", "edge_time", "neg_time"]))
    walks = RandomProjectionModule(num_nodes=nodes, num_layer=HOPS, time_decay_weight=1e-6, beginning_time=float(when[0]),
                                   use_matrix=False, num_edges=events, dim_factor=10)
    encoder = TPNet(node_feat_dim=1, edge_feat_dim=1, time_feat_dim=TIME_DIM, output_dim=CHANNELS, num_neighbors=NEIGHBORS,
                    num_layers=2, dropout=0.1, random_projections=walks)
    decoder = LinkPredictor(node_dim=CHANNELS, hidden_dim=CHANNELS)
    learned = [p for module in (encoder, decoder) for p in module.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(learned, lr=1e-4)
    features, entropy = torch.zeros(nodes, 1), torch.nn.functional.binary_cross_entropy_with_logits

    def logits(batch, end, nodes_of_end):
        ends = torch.cat([batch.seed_node_nbr_mask["edge_src"], batch.seed_node_nbr_mask[end]])
        pairs = torch.stack([batch.edge_src, nodes_of_end]).long()
        return decoder(*encoder(features, pairs, batch.edge_time, batch.nbr_nids[0][ends].long(), batch.nbr_edge_time[0][ends],
                                batch.nbr_edge_x[0][ends]))

    spent, losses = 0.0, []
    with hooks.activate("train"):
        for number, batch in enumerate(DGDataLoader(graph, BATCH, batch_unit="r", hook_manager=hooks)):
            began = time.process_time()
            if number >= skip:
                optimizer.zero_grad()
                known, other = logits(batch, "edge_dst", batch.edge_dst), logits(batch, "neg", batch.neg)
                loss = entropy(known, torch.ones_like(known)) + entropy(other, torch.zeros_like(other))
                loss.backward()
                optimizer.step()
                losses.append(float(loss.detach()))
            walks.update(batch.edge_src.long(), batch.edge_dst.long(), time=batch.edge_time)
            if number >= skip:
                spent += time.process_time() - began
    print(json.dumps({"events": batches * BATCH, "cpu": spent, "loss": statistics.mean(losses)}))


if __name__ == "__main__":
    beside_tgm.main(__doc__, __file__, train_rival, ["--architecture", "tpnet", "--time-unit", "4096"], batches=40)
