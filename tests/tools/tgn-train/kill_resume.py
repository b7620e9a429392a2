#!/usr/bin/env python3
"""tgn-train train, killed and resumed: see tests/support/kill_resume.py. kill_resume.py TGN_TRAIN [kills]"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import kill_resume  # noqa: E402

program = os.path.abspath(sys.argv[1])

kill_resume.check(program,
                  ("--architecture tgn-attn --learning-rate 0.03 --memory-tier disk", "--architecture tgn-mean --memory exact --window 60 --schedule linear --warm-up 0.3", "--architecture jodie --refresh touched",
                   "--architecture tgn-attn --memory read --memory-tier disk",
                   "--architecture pyg --memory read --memory-dtype bf16", "--architecture tncn --memory exact", "--architecture tgn-id --refresh none --pair-features --steps 110"),
                  lambda variant: ["train", "../data.txt", *variant.split(), "--memory-dim", "16", "--time-dim", "8",
                                   "--batch-size", "20", "--epochs", "3"],
                  lambda path: subprocess.run([program, "generate", "--scale", "5", "--distinct-times", "400", "-o", path, "-q"], check=True),
                  int(sys.argv[2]) if len(sys.argv) > 2 else 20)
