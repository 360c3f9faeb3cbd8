"""Checks the journal against Optuna and its dashboard: python tests/optuna PEER [WORD...]

PEER is the program `serve`. With words only the checks that have one in their name run.
"""

import importlib
import os
import sys
import tempfile
import time
import traceback
import warnings

import optuna

import peer

MODULES = ["ours", "staged", "theirs", "random_logs", "together", "dashboard", "refused"]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    peer.PROGRAM = os.path.abspath(sys.argv[1])
    words = sys.argv[2:]
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.simplefilter("ignore")
    print(f"Optuna {optuna.__version__}")
    failed, made = [], 0
    for module in map(importlib.import_module, MODULES):
        for name, check in list(vars(module).items()):
            if not name.startswith("check_") or not all(word in name for word in words):
                continue
            began = time.monotonic()
            made += 1
            with tempfile.TemporaryDirectory(prefix="gittins-optuna-") as folder:
                try:
                    said = check(folder) or ""
                except Exception:
                    traceback.print_exc()
                    failed.append(name)
                    said = "FAILED"
            print(f"{name:<58} {time.monotonic() - began:5.1f} s  {said}", flush=True)
    if not made:
        sys.exit("no check has all of these words in its name")
    if failed:
        sys.exit(f"{len(failed)} of {made} checks failed: {', '.join(failed)}")
    print(f"all {made} checks passed")


main()
