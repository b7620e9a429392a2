#!/usr/bin/env python3
"""Tables of numbers: sparse-train without options beside two classifiers of scikit-learn, on data sets that come with it.

    number_tables.py SPARSE_TRAIN [--seeds 0,1,2]

Each seed divides the rows anew, 30 % for the test, classes in proportion. The target of diabetes is whether it is above its
median. Prints, a line for each set, the mean test accuracy of each program and its CPU seconds, the median of the seeds.
Needs scikit-learn and pandas.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile

from sklearn import datasets
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SETS = ("digits", "wine", "breast_cancer", "iris", "diabetes")


def cpu(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def table(name):
    frame = getattr(datasets, "load_" + name)(as_frame=True).frame
    if name == "diabetes":
        frame["target"] = (frame.target > frame.target.median()).astype(int)
    return frame


def sparse_train(program, train, test, folder):
    paths = [os.path.join(folder, name) for name in ("train.csv", "test.csv", "model")]
    train.to_csv(paths[0], index=False)
    test.to_csv(paths[1], index=False)
    began = cpu(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "train", paths[0], "-o", paths[2], "-f", "-q", "--threads", "1"], check=True)
    seconds = cpu(resource.RUSAGE_CHILDREN) - began
    result = subprocess.run([program, "eval", paths[2], paths[1], "--json", "-q"], check=True, capture_output=True)
    return json.loads(result.stdout)["accuracy"], seconds


def scikit(model, train, test):
    began = cpu(resource.RUSAGE_SELF)
    model.fit(train.drop(columns="target"), train.target)
    seconds = cpu(resource.RUSAGE_SELF) - began
    return model.score(test.drop(columns="target"), test.target), seconds


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--seeds", default="0,1,2")
    options = arguments.parse_args()
    for name in SETS:
        frame, runs = table(name), {"sparse-train": [], "logistic": [], "boosting": []}
        for seed in map(int, options.seeds.split(",")):
            train, test = train_test_split(frame, test_size=0.3, random_state=seed, stratify=frame.target)
            with tempfile.TemporaryDirectory() as folder:
                runs["sparse-train"].append(sparse_train(options.program, train, test, folder))
            logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
            runs["logistic"].append(scikit(logistic, train, test))
            runs["boosting"].append(scikit(HistGradientBoostingClassifier(random_state=seed), train, test))
        print(name, *(f"{way} {statistics.mean(a for a, _ in of):.3f} {statistics.median(s for _, s in of):.2f} s"
                      for way, of in runs.items()), sep="; ")


if __name__ == "__main__":
    main()
