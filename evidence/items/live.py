"""A live run by the clock: which settings of HiGHS solve generated instances fastest?

    pip install highspy numpy ./python
    python live.py --out live.json

The study pays seconds of the solver. Then every setting solves every instance, to judge the choice.
It takes some three minutes, and wants a machine that does nothing else.
"""

import argparse
import itertools
import json
import time
from pathlib import Path

import highspy
import numpy as np

import gittins

LIMIT = 2.0  # seconds for an instance; who hits it is told as this
CHOICES = {
    "presolve": ["on", "off"], "heuristics": ["0", "0.05", "0.3"],
    "cuts": ["few", "many"], "restarts": ["yes", "no"],
}


def instance(seed):
    """A knapsack with several rows, correlated, as Chu and Beasley draw them."""
    r = np.random.default_rng(seed)
    rows, columns = int(r.integers(3, 6)), int(r.integers(25, 40))
    weights = r.integers(1, 1000, (rows, columns)).astype(float)
    values = weights.mean(axis=0) + 500 * r.random(columns)
    return weights, np.floor(weights.sum(axis=1) * r.uniform(0.3, 0.6)), values


def seconds(setting, problem):
    """The seconds that a setting takes for an instance, at most the limit."""
    weights, room, values = problem
    solver = highspy.Highs()
    options = {
        "output_flag": False, "threads": 1, "time_limit": LIMIT, "presolve": setting["presolve"],
        "mip_heuristic_effort": float(setting["heuristics"]),
        "mip_pool_soft_limit": 10000 if setting["cuts"] == "many" else 100,
        "mip_allow_restart": setting["restarts"] == "yes",
    }
    for name, value in options.items():
        assert solver.setOptionValue(name, value) == highspy.HighsStatus.kOk, name
    taken = [solver.addBinary(obj=-value) for value in values]
    for row, most in zip(weights, room):
        solver.addConstr(sum(float(w) * x for w, x in zip(row, taken)) <= float(most))
    begun = time.perf_counter()
    solver.run()
    return min(time.perf_counter() - begun, LIMIT)


def main():
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--out", required=True, help="a JSON file with the table and the run")
    parse.add_argument("--instances", type=int, default=60)
    parse.add_argument("--budget", type=float, default=15.0, help="seconds of the solver")
    args = parse.parse_args()
    problems = [instance(seed) for seed in range(args.instances)]
    space = gittins.Space()
    for name, choices in CHOICES.items():
        space = space.choice(name, choices)
    study = gittins.Study(
        space, direction="minimize", stages={"items": args.instances}, budget=args.budget, seed=0
    )
    paid, begun = 0.0, time.perf_counter()
    while not study.verdict():
        with study.run() as run:
            for batch in run.items:
                took = [seconds(run.values, problems[item]) for item in batch]
                paid += sum(took)
                run.report(took, cost=sum(took))
    chosen, whole = dict(study.recommendation().values), time.perf_counter() - begun
    settings = [dict(zip(CHOICES, values)) for values in itertools.product(*CHOICES.values())]
    # Instance by instance, so that a slow minute of the machine is shared by all settings.
    table = np.array([[seconds(one, problem) for one in settings] for problem in problems]).T
    means, place = table.mean(axis=1), settings.index(chosen)
    middle, rank = np.median(means), (means < means[place]).sum() + 1
    print(f"chosen       {chosen}: {means[place]:.4f} s, place {rank} of {len(settings)}")
    print(f"             the best has {means.min():.4f} s, the middle one {middle:.4f} s")
    print(f"paid         {paid:.1f} s of {table.sum():.1f} s, decisions {whole - paid:.1f} s")
    print(f"at the limit {(table >= LIMIT).mean():.1%} of the table")
    Path(args.out).write_text(json.dumps({"chosen": chosen, "paid": paid, "table": table.tolist()}))


if __name__ == "__main__":
    main()
