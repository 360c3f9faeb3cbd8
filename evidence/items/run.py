"""Plays rules on tables of configurations x items, and reports regrets at sums of money.

    python run.py --data TABLES --out runs.jsonl --binary target/release/serve --seeds 20
    python run.py --out runs.jsonl --report
"""

import argparse
import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

import peers
import tables
from engine import play

# What a whole table is worth, as a mean outcome, where a price ends a run.
WORTH = {"stop .3": 0.3, "stop .1": 0.1, "stop .03": 0.03}
MARKS = np.array([0.01, 0.02, 0.05, 0.1, 0.2])


def smac(scores, costs, marks):
    import smac_rule  # SMAC is needed for this rule only

    return smac_rule.smac(scores, costs, marks)


RULES = {
    "uniform": tables.uniform, "halving": tables.halving, "halving-grown": tables.halving_grown,
    "ucb-e": tables.ucb, "ucb-e-lrf": peers.ucb_lrf,
    "ucb-e-lrf .02": partial(peers.ucb_lrf, warm=0.02), "gittins-arms": peers.gittins_arms,
    "smac": smac,
}
OURS = ("gittins", "listed")
NAMES = [*RULES, *OURS, *WORTH]


def simulate(rule, table, seed, binary):
    scores, costs = table.shuffled(seed)
    marks = MARKS * table.total
    if rule in RULES:
        numbers = RULES[rule](scores, costs, marks)
    else:
        price = WORTH[rule] / table.total if rule in WORTH else None
        numbers = play(binary, scores, costs, marks, seed, price, listed=rule == "listed")
    numbers = [round(float(x), 6) for x in numbers]
    return {"rule": rule, "table": table.name, "seed": seed, "numbers": numbers}


def report(rows):
    """Means of each rule, and `gittins` against it on the (table, seed) pairs that both have."""
    got, say = {}, lambda numbers: " ".join(f"{1e4 * x:.0f}" for x in numbers)
    for row in rows:
        got.setdefault(row["rule"], {})[row["table"], row["seed"]] = np.array(row["numbers"])
    known = [name for name in tables.NAMES if any(row["table"] == name for row in rows)]
    rules, ours = [rule for rule in [*RULES, *OURS] if rule in got], got.get("gittins", {})
    every = {rule: [[numbers for pair, numbers in got[rule].items() if pair[0] == name]
                    for name in known] for rule in rules}
    print("| rule | seeds | mean | common | ahead : behind (p) |\n| --- | --- | --- | --- | --- |")
    for rule in rules:
        common = [pair for pair in got[rule] if pair in ours]
        both = [[got[rule][pair] for pair in common if pair[0] == name] for name in known]
        cells = ["-".join(f"{n}" for n in sorted({len(runs) for runs in every[rule]}))]
        for found in (every[rule], both):
            means = [np.mean(runs, axis=0) for runs in found if runs]
            cells.append(say(np.mean(means, axis=0)) if means else "")
        ahead = np.array([got[rule][pair] - ours[pair] for pair in common]).reshape(-1, len(MARKS))
        pairs = zip((ahead > 1e-9).sum(0), (ahead < -1e-9).sum(0))
        cells.append(", ".join(f"{a}:{b} ({binomtest(int(a), max(int(a + b), 1)).pvalue:.2g})"
                               for a, b in pairs if rule != "gittins"))
        print(f"| {rule} | {' | '.join(cells)} |")
    print("\n| table | " + " | ".join(rules) + " |\n| --- |" + " --- |" * len(rules))
    for at, name in enumerate(known):
        runs = [every[rule][at] for rule in rules]
        cells = [say(np.mean(found, axis=0)) if found else "" for found in runs]
        print(f"| {name} | {' | '.join(cells)} |")
    print("\n| a table is worth | runs | share paid | regret x 1e4 | within .01 |")
    for rule in WORTH:
        if ends := list(got.get(rule, {}).values()):
            share, regret = np.array(ends).T
            print(f"| {WORTH[rule]} | {len(ends)} | {share.mean():.3f} | "
                  f"{1e4 * regret.mean():.0f} | {(regret <= 0.01).mean():.2f} |")


def main():
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--data", default="", help="the folder of the tables")
    parse.add_argument("--out", required=True, help="a line for each run; runs in it are kept")
    parse.add_argument("--binary", default="target/release/serve")
    usual = [name for name in NAMES if name != "smac"]
    parse.add_argument("--rules", nargs="*", default=usual, choices=NAMES)
    parse.add_argument("--tables", nargs="*", default=tables.NAMES)
    parse.add_argument("--seeds", type=int, default=20)
    parse.add_argument("--jobs", type=int, default=2)
    parse.add_argument("--report", action="store_true")
    args = parse.parse_args()
    out = Path(args.out)
    rows = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    if args.report:
        return report(rows)
    done = {(row["rule"], row["table"], row["seed"]) for row in rows}
    loaded = {name: tables.Table(args.data, name) for name in args.tables}
    todo = [(rule, table, seed) for seed in range(args.seeds) for rule in args.rules
            for table in loaded.values() if (rule, table.name, seed) not in done]
    with out.open("a") as file, ThreadPoolExecutor(args.jobs) as pool:
        for row in pool.map(lambda one: simulate(*one, args.binary), todo):
            file.write(json.dumps(row) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
