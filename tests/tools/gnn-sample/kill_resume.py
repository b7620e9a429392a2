#!/usr/bin/env python3
"""gnn-sample train, killed and resumed: see tests/support/kill_resume.py. kill_resume.py GNN_SAMPLE [kills]"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import kill_resume  # noqa: E402

program = os.path.abspath(sys.argv[1])

kill_resume.check(program,
                  ("--architecture sage --schedule cosine --warm-up 0.2 --fanouts 5,5", "--architecture gat --heads 2 --attention-dropout 0.3 --optimizer adagrad --residual --norm layer --fanouts 5,5",
                   "--architecture gin --batch-norm --head-layers 1 --input-dropout 0.2 --fanouts 5,5", "--architecture sage-ri --eval-fanouts 5,5 --fanouts 5,5", "--architecture sign --norm batch"),
                  lambda variant: ["train", "../data.txt", *variant.split(), "--hidden", "16",
                                   "--batch-size", "20", "--epochs", "10"],
                  lambda path: subprocess.run([program, "generate", "--scale", "10", "-o", path, "-q"], check=True),
                  int(sys.argv[2]) if len(sys.argv) > 2 else 20)
