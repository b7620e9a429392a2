"""Compares the metrics of tgn-train with those that py-tgb's evaluators compute from the same scores.

    tgb_evaluators.py link RANKS.safetensors EVAL.json | affinity FORECASTS.safetensors EVAL.json
    tgb_evaluators.py pickle RANKS.safetensors SOURCES DESTINATIONS TIMES
"""
import json
import struct
import sys

import numpy as np

TYPES = {"F32": "<f4", "F64": "<f8", "U32": "<u4", "I64": "<i8", "U8": "u1"}


def tensors(path):
    with open(path, "rb") as file:
        content = file.read()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(content[8 + size:][slice(*one["data_offsets"])], TYPES[one["dtype"]]).reshape(one["shape"])
            for name, one in header.items()}


def link_metrics(found):
    from tgb.linkproppred.evaluate import Evaluator
    for part, name in (("valid", "validation"), ("test", "test")):
        logits = found[part + ".logits"]
        print(f"{part}: {len(logits)} events, {np.sum(logits[:, 1:] == logits[:, :1])} ties with their destination")
        told = Evaluator(name="tgbl-wiki").eval(
            {"y_pred_pos": logits[:, 0], "y_pred_neg": logits[:, 1:], "eval_metric": ["mrr"]})
        yield f"{name}_mrr", told["mrr"]
        yield f"{name}_hits_at_10", told["hits@10"]


def affinity_metrics(found):
    from tgb.nodeproppred.evaluate import Evaluator
    evaluator = Evaluator(name="tgbn-genre")

    def ndcg(rows):
        return evaluator.eval({"y_true": found["weights"][rows], "y_pred": found["scores"][rows], "eval_metric": ["ndcg"]})["ndcg"]
    yield "test_ndcg_all", ndcg(slice(None))
    yield "test_ndcg_by_time", np.mean([ndcg(found["times"] == time) for time in np.unique(found["times"])])


def write_pickles(ranks, columns):
    """The negatives in RANKS for the last events of the columns, as NegativeEdgeGenerator of py-tgb stores them."""
    from tgb.utils.utils import save_pkl
    sources, destinations, times = (np.loadtxt(path, dtype=np.int64) for path in columns)
    found = tensors(ranks)
    end = len(sources)
    for part, name in (("test", "test"), ("valid", "val")):
        begin = end - len(found[part])
        # Partly historical negatives are of type double there, as they are appended to an empty array.
        save_pkl({(s, d, t): np.concatenate((np.array([]), row[row >= 0])) for s, d, t, row in zip(
            sources[begin:end], destinations[begin:end], times[begin:end], found[part])}, f"tgbl-own_{name}_ns.pkl")
        end = begin
    return 0


def main():
    if sys.argv[1] == "pickle":
        return write_pickles(sys.argv[2], sys.argv[3:])
    kind, scores, result = sys.argv[1:]
    with open(result, encoding="utf-8") as file:
        ours = json.load(file)
    status = 0
    for name, theirs in {"link": link_metrics, "affinity": affinity_metrics}[kind](tensors(scores)):
        difference = abs(ours[name] - float(theirs))
        print(f"{kind} {name}: tgn-train {ours[name]:.9f}, py-tgb {float(theirs):.9f}, difference {difference:.1e}")
        if difference > 1e-6:
            print("FAILED: more than 1e-6")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
