#!/usr/bin/env python3
"""Attacks every tool with files that are well formed and wrong: models, arrays, graphs, events, data, states and checkpoints
that the tools wrote, changed at random, with checksums and sizes that fit (mutations.py). file_attack.py says what a tool may do.

    mutate.py BIN_DIR [SECONDS|FILESx [SEED]]     for so long, or so many files ("1000x"); prints a table, fails if anything
                                                  was found. What was found is left in attacks.found in the current folder.
"""
import random
import sys
import time

import file_attack
import model_kinds
import mutations


def main():
    amount = sys.argv[2] if len(sys.argv) > 2 else "60"
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    files = int(amount[:-1]) if amount.endswith("x") else None
    names = sorted(model_kinds.COMMANDS)

    def mutate(attack):
        end = time.monotonic() + float(amount if files is None else "inf")
        while attack.files != files and time.monotonic() < end:
            name = names[attack.files % len(names)]
            metadata, tensors = (dict(part) for part in attack.seeds[name])
            change = mutations.mutate(metadata, tensors, chance)
            attack.attack(name, metadata, tensors, chance.choice(model_kinds.COMMANDS[name]), change)

    sys.exit(0 if file_attack.in_scratch(sys.argv[1], mutate) else 1)


main()
