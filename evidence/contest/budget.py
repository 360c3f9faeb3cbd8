#!/usr/bin/env python3
"""What a budget is worth: a study with `budget` beside others that have the same money.

    budget.py run --suite bbob --dims 5 --instances 6-8
    budget.py run --suite money --data FOLDER --seeds 1-5
    budget.py run --suite models --seeds 1-3
    budget.py report

The others spend all of the money, by improvement per cost or by the Gittins index at a fixed price.
The money is that of so many trials (`--trials`); of `models` it is a share of the contest's own.
FOLDER holds measured tables: `tables.json`, which describes them, and a CSV file of each. A run is
one line of JSON in `runs/budget`, and is not played again. Needs the Python package.
"""

import argparse
import collections
import os
import pathlib
import statistics
import time
import zlib

import comparison
import gittins
import measured
import problems
import store

HERE = pathlib.Path(__file__).parent
#: Fixed prices, in gains over the design for the money of one trial.
PRICES = (1e-2, 1e-3, 1e-4, 1e-5)
METHODS = ("budget", "improvement", *(f"price {price:g}" for price in PRICES))


def spanned(parameters):
    space = gittins.Space()
    for p in parameters:
        given = [list(p.options)] if p.options else [p.low, p.high]
        getattr(space, p.kind)(p.name, *given)
    return space


def described(problem):
    """The space of a problem of the contest, and its evaluation by the names of parameters."""
    space = spanned(problem.parameters)
    return space, lambda ask: problem.evaluate([ask[name] for name in space.names])[::2]


def problem(suite, id, data):
    """Space, evaluation (outcome and cost), and the money of one trial."""
    if suite == "money":
        parameters, found, unit = measured.table(data, id)
        space = spanned(parameters)
        return space, lambda ask: found[tuple(ask[name] for name in space.names)], unit
    one = problems.problem(suite, id, data, 1)
    # The contest's money of a model pays for some hundred trials.
    return (*described(one), 1.0 if one.money is None else one.money / 100)


def play(suite, id, method, trials, seed, data):
    """One run: the record that is kept of it."""
    space, evaluate, unit = problem(suite, id, data)
    money, learned = trials * unit, suite != "bbob"
    number = zlib.crc32(f"{id} {seed}".encode()) % 1_000_000
    settings = {"budget": money} if method == "budget" else {}
    study = gittins.Study(space, cost="learned" if learned else None, seed=number, **settings)
    spent, best, began, price = [], [], time.process_time(), None
    design, done = [], None
    while sum(spent) < money * (1 - 1e-12) and len(spent) < 20 * trials:
        # Who is done goes on all the same, so that one sees what was left to gain.
        if method == "budget" and done is None and (verdict := study.verdict()):
            done = {"end": best[-1], "evaluations": len(best), "spent": sum(spent) / money,
                    "words": str(verdict)}
        ask = study.ask()
        outcome, cost = evaluate(ask)
        study.tell(ask, outcome, cost=cost if learned else None)
        spent.append(cost if learned else 1.0)
        best.append(min([outcome, *best[-1:]]))
        if ask.why.startswith("initial"):
            design.append(outcome)
        elif method.startswith("price") and price is None:
            gain = max(statistics.median(design) - best[-1], 1e-12 * abs(best[-1]), 1e-300)
            price = float(method.split()[1]) * gain / unit
            study.change_policy(gittins.policy.gittins(price))
    record = {
        "problem": f"{id} {trials}", "seed": seed, "suite": suite, "method": method,
        "trials": trials, "evaluations": len(best), "end": best[-1],
        "gain": statistics.median(design) - best[-1], "spent": sum(spent) / money,
        "seconds": round(time.process_time() - began, 2),
    }
    return record | ({"early": True, "on": best[-1]} | done if done else {"early": False})


def ids(args):
    if args.suite == "money":
        return measured.GRIDS
    return [id for batch in problems.batches(args.suite, args) for id in batch]


def run(args):
    todo = [(id, method, trials, seed) for trials in args.trials for seed in args.seeds
            for id in ids(args) for method in args.methods]
    for count, (id, method, trials, seed) in enumerate(todo, 1):
        path = args.runs / args.suite / f"{method}.jsonl"
        if (f"{id} {trials}", seed) in store.runs(path):
            continue
        record = play(args.suite, id, method, trials, seed, args.data)
        store.append(path, record)
        print(f"{count:>5} / {len(todo)} {method:<12} {id:<34} {trials:>4} {seed:>3} "
              f"{record['end']:12.5g} {record['spent']:6.1%}", flush=True)


def compared(ours, theirs, share):
    """Wins and losses by more than a share of the gain."""
    keys = ours.keys() & theirs.keys()
    apart = [(theirs[key]["end"] - ours[key]["end"]) / max(theirs[key]["gain"], 1e-300)
             for key in keys]
    return sum(a > share for a in apart), sum(a < -share for a in apart), len(apart)


def report(args):
    print("| suite | money of | against | runs | better, worse | p | by 0.1 % of the gain | p |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    saved = []
    for folder in sorted(args.runs.iterdir()):
        kept = {method: store.runs(folder / f"{method}.jsonl") for method in METHODS}
        by_trials = collections.defaultdict(dict)
        for method, runs in kept.items():
            for key, record in runs.items():
                by_trials[record["trials"]].setdefault(method, {})[key] = record
        for trials, found in sorted(by_trials.items()):
            ours = found.get("budget", {})
            prices = [method for method in found if method.startswith("price")]
            # The price that would have been right: the one with the best mean rank.
            ranks = {price: [] for price in prices}
            for key in ours:
                ends = {p: found[p][key]["end"] for p in prices if key in found[p]}
                for p, end in ends.items():
                    ranks[p].append(sum(other < end for other in ends.values())
                                    + 0.5 * sum(other == end for other in ends.values()))
            ranked = {p: statistics.mean(r) for p, r in ranks.items() if r}
            right = [min(ranked, key=ranked.get)] if ranked else []
            for other in ["improvement", *right]:
                if other not in found:
                    continue
                better, worse, n = compared(ours, found[other], 1e-9)
                far, behind, _ = compared(ours, found[other], 1e-3)
                name = other if other == "improvement" else f"the right price, {other[6:]}"
                print(f"| {folder.name} | {trials} | {name} | {n} | {better}, {worse} | "
                      f"{comparison.sign_test(better, worse):.2g} | {far}, {behind} | "
                      f"{comparison.sign_test(far, behind):.2g} |")
            early = [one for one in ours.values() if one["early"]]
            if early:
                lost = sorted((one["end"] - one["on"]) / max(one["gain"], 1e-300) for one in early)
                middle = statistics.median(1 - one["spent"] for one in early)
                within = sum(share <= 1e-4 for share in lost)
                saved.append(f"| {folder.name} | {trials} | {len(early)} of {len(ours)} | "
                             f"{middle:.0%} | {within} of {len(early)} | "
                             f"{statistics.median(lost):.1e}, {lost[-1]:.1e} |")
    print("\n| suite | money of | ended early | saved of it, median | the rest brought at most 1e-4 "
          "of the gain | median, most |")
    print("| --- | --- | --- | --- | --- | --- |")
    print("\n".join(saved))


def main():
    from contest import whole

    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = p.add_subparsers(dest="verb", required=True)
    r = verbs.add_parser("run", help="play what is not yet kept")
    r.add_argument("--suite", default="bbob", choices=("bbob", "money", "models"))
    r.add_argument("--methods", type=lambda text: text.split(","), default=METHODS)
    r.add_argument("--trials", type=whole, default=(30, 100, 300))
    r.add_argument("--dims", type=whole, default=(5,))
    r.add_argument("--functions", type=whole, default=range(1, 25))
    r.add_argument("--instances", type=whole, default=(6,))
    r.add_argument("--seeds", type=whole, default=(1,))
    r.add_argument("--problems", nargs="*", default=[])
    r.add_argument("--data", type=pathlib.Path, default=HERE / "data")
    for verb in (r, verbs.add_parser("report", help="print the tables")):
        verb.add_argument("--runs", type=pathlib.Path, default=HERE / "runs" / "budget")
    args = p.parse_args()
    if args.verb == "report":
        report(args)
    elif args.suite == "money" and not (args.data / "tables.json").exists():
        print(f"skipped: no tables.json in {args.data}")
    else:
        for name in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS"):
            os.environ.setdefault(name, "1")
        run(args)


if __name__ == "__main__":
    main()
