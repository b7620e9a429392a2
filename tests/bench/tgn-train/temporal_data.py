"""Streams of events for the rivals of tgn-train: reading, twitter-research/tgn's split, neighbours, negatives, metrics.

Nodes are numbered from 1, 0 stands for "no node"; events from 1 where they name a row of edge features, else
from 0. Times are float64 seconds since the first event: exact, where the published program rounds to float32.
Needs NumPy, pandas, scikit-learn and, for events files, safetensors and PyTorch; `zstd` for .zst.
"""
import dataclasses
import gzip
import io
import os
import random
import sys

import numpy as np
import pandas
from sklearn.metrics import average_precision_score, roc_auc_score

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sparse-train"))
import measures  # noqa: E402

SOURCE_NAMES = ("user_id", "u", "from", "src", "source")
DESTINATION_NAMES = ("item_id", "i", "to", "dst", "destination")
TIME_NAMES, LABEL_NAMES, SKIPPED_NAMES = ("timestamp", "ts", "time", "t"), ("state_label", "label"), ("idx", "feature")


@dataclasses.dataclass
class Events:
    sources: np.ndarray        # [events] int64, from 1
    destinations: np.ndarray   # [events] int64, from 1
    times: np.ndarray          # [events] float64, never falling, the first is 0
    edge_features: np.ndarray  # [events + 1, dim] float32, row 0 is zero
    num_nodes: int             # with "no node"

    def __len__(self):
        return len(self.sources)


def read_events(path):
    """Any of: an events file of tgn-train (.safetensors[.zst]); a CSV with a header that names its columns
    (JODIE's, TGN's ml_NAME.csv, ...); three columns without a header, divided by blanks."""
    name = path[:-4] if path.endswith(".zst") else path[:-3] if path.endswith(".gz") else path
    if name.endswith(".safetensors"):
        return read_events_file(path)
    with gzip.open(path) if path.endswith(".gz") else io.BytesIO(measures.read(path)) as file:
        data = file.read()
    if not any(letter.isalpha() for letter in data[:data.index(b"\n")].decode()):
        table = pandas.read_csv(io.BytesIO(data), sep=r"\s+", header=None, names=["src", "dst", "time"])
    else:
        # Feature lists of JODIE's files have no names: more fields than the header.
        table = pandas.read_csv(io.BytesIO(data), index_col=False)
    return from_table(table, path)


def column(table, names, path):
    found = next((name for name in table.columns if name.strip().lower() in names), None)
    if found is None:
        sys.exit(f"{path}: line 1: {','.join(table.columns)}: expected a column named {' or '.join(names)}")
    return found


def from_table(table, path):
    first, second = column(table, SOURCE_NAMES, path), column(table, DESTINATION_NAMES, path)
    time = column(table, TIME_NAMES, path)
    table = table.sort_values(time, kind="stable")
    sources, destinations = table[first].to_numpy(np.int64), table[second].to_numpy(np.int64)
    if first == "user_id":  # users and items are both numbered from 0
        destinations = destinations + sources.max() + 1
    # Numbers that no event has would be nodes that are never seen.
    _, dense = np.unique(np.concatenate([sources, destinations]), return_inverse=True)
    skipped = {first, second, time, *LABEL_NAMES, *SKIPPED_NAMES}
    features = table[[name for name in table.columns if name not in skipped and not name.startswith("Unnamed")]]
    return make_events(dense[:len(table)] + 1, dense[len(table):] + 1, table[time].to_numpy(np.float64),
                       features.to_numpy(np.float32))


def make_events(sources, destinations, times, features):
    features = np.vstack([np.zeros((1, features.shape[1]), np.float32), features])
    return Events(sources, destinations, times - times[0], features,
                  int(max(sources.max(), destinations.max())) + 1)


def read_events_file(path):
    import safetensors.torch
    import torch
    tensors = safetensors.torch.load(measures.read(path))
    sources, destinations = (tensors[name].to(torch.int64).numpy() + 1 for name in ("sources", "destinations"))
    times = tensors["times"].numpy()
    features = tensors.get("edge_features", torch.zeros(len(times), 0)).to(torch.float32).numpy()
    # Differences of whole numbers are exact, also where the times are not as doubles.
    return make_events(sources, destinations, (times - times[0]).astype(np.float64), features)


def first_events(events, count):
    """The first events alone, their nodes numbered anew; all if count is None."""
    if count is None:
        return events
    nodes = np.concatenate([events.sources[:count], events.destinations[:count]])
    dense = np.unique(nodes, return_inverse=True)[1] + 1
    return make_events(dense[:count], dense[count:], events.times[:count], events.edge_features[1:count + 1])


def set_features(events, dim, seed):
    """Edge features of `dim` columns: of the standard normal distribution or, without a seed, zeros."""
    shape = (len(events) + 1, dim)
    features = np.zeros(shape, np.float32) if seed is None else \
        np.random.default_rng(seed).standard_normal(shape, np.float32)
    features[0] = 0
    events.edge_features = features


@dataclasses.dataclass
class Split:
    """Numbers of the events, from 0, of each part; parts new_* are the events of val and test with a node that
    training did not see."""
    train: np.ndarray
    val: np.ndarray
    test: np.ndarray
    new_val: np.ndarray
    new_test: np.ndarray


def split_events(events, new_nodes=0.1, seed=2020):
    """As twitter-research/tgn splits: 0.70 and 0.85 of the times; a share of all nodes, of those that occur after
    training, is held out of training."""
    sources, destinations, times = events.sources, events.destinations, events.times
    val_time, test_time = np.quantile(times, [0.70, 0.85])
    late = times > val_time
    # Python's order of a set decides which nodes are drawn: it must be made in the same way.
    nodes = set(sources.tolist()) | set(destinations.tolist())
    late_nodes = set(sources[late].tolist()).union(set(destinations[late].tolist()))
    held_out = np.zeros(events.num_nodes, bool)
    held_out[random.Random(seed).sample(tuple(late_nodes), int(new_nodes * len(nodes)))] = True
    train = ~late & ~held_out[sources] & ~held_out[destinations]
    new = np.ones(events.num_nodes, bool)
    new[sources[train]] = new[destinations[train]] = False
    touches_new = new[sources] | new[destinations]
    val, test = late & (times <= test_time), times > test_time
    return Split(*map(np.flatnonzero, (train, val, test, val & touches_new, test & touches_new)))


class NeighborFinder:
    """The most recent events of nodes strictly before given times, for all queries at once."""
    def __init__(self, events, numbers):
        """numbers: the events that count, ascending."""
        self.times, self.step = events.times[numbers], len(numbers) + 1
        ends = np.concatenate([events.sources[numbers], events.destinations[numbers]])
        others = np.concatenate([events.destinations[numbers], events.sources[numbers]])
        positions = np.tile(np.arange(len(numbers)), 2)
        # A stable order by node and event: a loop's two entries stay one behind the other.
        order = np.argsort(ends * self.step + positions, kind="stable")
        self.keys = (ends * self.step + positions)[order]
        self.others = others[order]
        self.rows = numbers[positions[order]] + 1
        self.entry_times = self.times[positions[order]]
        self.begins = np.searchsorted(self.keys, np.arange(events.num_nodes + 1) * self.step)

    def find(self, nodes, times, count):
        """[queries, count] neighbours, rows of edge features and times, oldest first, to the right; else 0."""
        limits = np.searchsorted(self.times, times)
        ends = np.searchsorted(self.keys, nodes * self.step + limits)
        entries = ends[:, None] + np.arange(-count, 0)
        there = entries >= self.begins[nodes][:, None]
        entries = np.where(there, entries, 0)
        return tuple(np.where(there, values[entries], 0) for values in (self.others, self.rows, self.entry_times))


class Negatives:
    """Uniform among the distinct destinations of some events, in the random order of the published program."""
    def __init__(self, sources, destinations, seed):
        self.num_sources, self.destinations = len(np.unique(sources)), np.unique(destinations)
        self.seed = seed
        self.reset()

    def reset(self):
        self.state = np.random.RandomState(self.seed)

    def draw(self, size):
        self.state.randint(0, self.num_sources, size)  # it draws sources as well and leaves them out
        return self.destinations[self.state.randint(0, len(self.destinations), size)]


class Metrics:
    """Average precision and AUC, over all and as the published program has them: the mean of those of each batch."""
    def __init__(self):
        self.positive, self.negative, self.batches = [], [], []

    def add(self, positive, negative):
        self.positive.append(positive)
        self.negative.append(negative)
        self.batches.append(self.of(positive, negative))

    @staticmethod
    def of(positive, negative):
        truth = np.concatenate([np.ones(len(positive)), np.zeros(len(negative))])
        scores = np.concatenate([positive, negative])
        return average_precision_score(truth, scores), roc_auc_score(truth, scores)

    def result(self):
        ap, auc = np.mean(self.batches, 0)
        whole = self.of(np.concatenate(self.positive), np.concatenate(self.negative))
        return {"ap": float(whole[0]), "auc": float(whole[1]), "ap_batch200": float(ap), "auc_batch200": float(auc)}
