#!/usr/bin/env python3
"""Holds what the library says with a deviation against what came.

    run.py run --label NAME --data FOLDER
    run.py run --parts items --seeds 40 --label NAME
    run.py report --labels BEFORE,AFTER

A study is kept as soon as it is over, and what is kept under a label is not played again. README.md
beside says what is played and how it is counted.
"""

import argparse
import concurrent.futures
import importlib
import json
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "contest"))

# One core for each study, and the same answers on all machines. Before the library is loaded.
os.environ.setdefault("RAYON_NUM_THREADS", "1")

import store  # noqa: E402

PARTS = ("whole", "ends", "items")
# Folders of measured data, below that of --data or itself.
FOLDERS = {"whole": "tables", "ends": "curves", "items": "evals"}


def play(spec):
    """One study: the record that is kept of it."""
    part, problem, seed, label, data = spec
    start = time.process_time()
    try:
        found = importlib.import_module(part).play(problem, seed, data)
    except Exception as error:  # a study that ends so says something of the library
        found = {"failed": f"{type(error).__name__}: {error}"}
    import gittins

    record = {"label": label, "part": part, "problem": problem, "seed": seed}
    seconds = round(time.process_time() - start, 2)
    return record | {"seconds": seconds, "version": gittins.__version__} | found


def specs(args):
    """The studies that are asked for: one seed of all problems before the next one."""
    found = []
    for part in args.parts:
        module, data = importlib.import_module(part), args.data
        if data and pathlib.Path(data, FOLDERS.get(part, "")).is_dir():
            data = str(pathlib.Path(data, FOLDERS.get(part, "")))
        missing = [one for one in module.PROBLEMS if not module.available(one, data)]
        for problem in missing:
            print(f"{part}: {problem}: no data in {data or '--data'}, skipped", file=sys.stderr)
        kept = [one for one in module.PROBLEMS if one not in missing]
        found += [(part, problem, seed, args.label, data)
                  for seed in range(args.seeds or module.SEEDS) for problem in kept]
    return found


def path(args, label, part):
    return args.runs / label / f"{part}.jsonl"


def run(args):
    wanted = []
    for spec in specs(args):
        have = store.runs(path(args, args.label, spec[0]))
        if (spec[1], spec[2]) not in have:
            wanted.append(spec)
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        for count, record in enumerate(pool.map(play, wanted), 1):
            store.append(path(args, args.label, record["part"]), record)
            if args.json:
                print(json.dumps(record), flush=True)
            words = f"{count} / {len(wanted)} {record['part']}: {record['problem']} "
            words += f"{record['seed']}, {record['seconds']:.1f} s {record.get('failed', '')}"
            print(words, file=sys.stderr, flush=True)


def load(args, part):
    """The records of a part by label; those that failed are left out, and named."""
    found = {}
    for label in args.labels:
        records = list(store.runs(path(args, label, part)).values())
        for record in records:
            if "failed" in record:
                words = f"{label} {part}: {record['problem']} {record['seed']}: {record['failed']}"
                print(words, file=sys.stderr)
        if kept := [record for record in records if "failed" not in record]:
            found[label] = kept
    return found


def report(args):
    import tables

    found = {part: load(args, part) for part in args.parts}
    if args.json:
        print(json.dumps(tables.numbers(found)))
        return
    text = tables.page(found, args.labels)
    if args.out:
        args.out.write_text(text)
    else:
        print(text, end="")


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words = lambda text: text.split(",")  # noqa: E731
    verbs = p.add_subparsers(dest="verb", required=True)
    for verb, about in (("run", "play what is not yet kept"), ("report", "say what came of it")):
        v = verbs.add_parser(verb, help=about)
        v.add_argument("--parts", type=words, default=list(PARTS),
                       help=f"of {', '.join(PARTS)}; all unless given")
        v.add_argument("--runs", type=pathlib.Path, default=HERE / "runs",
                       help="where runs are kept, a folder for each label")
        v.add_argument("--json", action="store_true", help="a line of JSON for each study; numbers")
        if verb == "run":
            v.add_argument("--label", default="gittins", help="the name of what is installed")
            v.add_argument("--data", default="", help="the folder of measured data; optional")
            v.add_argument("--seeds", type=int, help="studies of each problem")
            v.add_argument("--jobs", type=int, default=1, help="studies at a time")
        else:
            v.add_argument("--labels", type=words, default=["gittins"])
            v.add_argument("--out", type=pathlib.Path, help="the page; printed unless given")
    args = p.parse_args()
    if unknown := set(args.parts) - set(PARTS):
        p.error(f"no part {', '.join(sorted(unknown))}")
    run(args) if args.verb == "run" else report(args)


if __name__ == "__main__":
    main()
