#!/usr/bin/env python3
"""Mixtures whose parts sum to one: constraints that are known against amounts that are normalized.

    mixtures.py run --seeds 1-10 --engine-binary target/release/serve
    mixtures.py report

The data are those of BoCoDe, which is not imported: `pip install --no-deps bocode==1.0.1`. `p3ht` is
the conductivity of composites of five parts, `perovskite` the instability of three, each read at the
measured mixture that is nearest. `port2` and `port5` are portfolios of 85 and 225 assets: half the
variance less half the mean return, per week (Chang et al. 2000, without a number of assets). `sums`
is this library with the sum as a constraint. `normalized`, `tpe` and `cma` search the cube of
amounts, which are divided by their sum. `random` is uniform among mixtures.
"""

import argparse
import csv
import functools
import importlib.util
import pathlib
import time
import zlib

import engines
import numpy as np
import store
from arguments import whole
from engine import Engine
from problem import Problem
from space import Parameter

HERE = pathlib.Path(__file__).parent
KINDS = ("sums", "normalized", "tpe", "cma", "random")
TRIALS = {"p3ht": 60, "perovskite": 30, "port2": 100, "port5": 100}
TABLES = {"p3ht": ("P3HT_dataset.csv", -1.0), "perovskite": ("Perovskite_dataset.csv", 1.0)}


def data():
    found = importlib.util.find_spec("bocode")
    return pathlib.Path(found.submodule_search_locations[0], "opt_problems")


@functools.cache
def table(name):
    """Measured mixtures, each once, and the means of their outcomes; smaller is better."""
    file, sign = TABLES[name]
    with open(data() / "materials" / "data" / file, encoding="utf-8-sig") as lines:
        rows = [[float(cell) for cell in row] for row in list(csv.reader(lines))[1:]]
    rows = np.array(rows)
    parts = rows[:, :-1] / rows[:, :-1].sum(axis=1, keepdims=True)
    parts, which = np.unique(parts.round(6), axis=0, return_inverse=True)
    outcomes = [np.mean(rows[which.ravel() == k, -1]) for k in range(len(parts))]
    return parts, sign * np.array(outcomes)


@functools.cache
def portfolio(name):
    """Mean returns and covariances of an instance of OR-Library."""
    text = (data() / "engineering" / "Portfolio_Data" / f"{name}.txt").read_text().split()
    count = int(text[0])
    own = np.array(text[1:1 + 2 * count], float).reshape(count, 2)
    pairs = np.array(text[1 + 2 * count:], float).reshape(-1, 3)
    correlation = np.eye(count)
    i, j = pairs[:, 0].astype(int) - 1, pairs[:, 1].astype(int) - 1
    correlation[i, j] = correlation[j, i] = pairs[:, 2]
    return own[:, 0], correlation * np.outer(own[:, 1], own[:, 1])


def parts_of(name):
    return table(name)[0].shape[1] if name in TABLES else len(portfolio(name)[0])


def outcome(name, mixture):
    if name in TABLES:
        parts, outcomes = table(name)
        return float(outcomes[np.argmin(((parts - mixture) ** 2).sum(axis=1))])
    mean, covariance = portfolio(name)
    return float(0.5 * mixture @ covariance @ mixture - 0.5 * mean @ mixture)


class Uniform(Engine):
    def __init__(self, problem, seed):
        super().__init__(problem, seed)
        self.rng = np.random.default_rng(seed)

    def ask(self):
        return self.rng.dirichlet(np.ones(len(self.problem.parameters)))


def play(spec):
    kind, name, seed, binary = spec
    own, count = zlib.crc32(f"{name} {seed}".encode()), parts_of(name)
    box = [Parameter(f"part{k}", "float", 0.0, 1.0) for k in range(count)]
    problem = Problem(name, box, None, TRIALS[name])
    if kind == "sums":
        terms = [[p.name, 1] for p in box]
        problem.constraints = [{"equation": {"terms": terms, "equal_to": 1}}]
    if kind in ("sums", "normalized"):
        engine = engines.Gittins(problem, own, binary, "gittins")
    else:
        engine = {"tpe": engines.Tpe, "cma": engines.Cma, "random": Uniform}[kind](problem, own)
    outcomes, began, asked = [], time.perf_counter(), 0.0
    while len(outcomes) < TRIALS[name]:
        before = time.perf_counter()
        amounts = np.array(engine.ask(), float)
        asked += time.perf_counter() - before
        whole_amount = amounts.sum()
        mixture = amounts / whole_amount if whole_amount > 0 else np.full(count, 1 / count)
        outcomes.append(outcome(name, mixture))
        engine.tell(outcomes[-1], None)
    if hasattr(engine, "close"):
        engine.close()
    return {"problem": name, "seed": seed, "label": kind, "outcomes": outcomes,
            "seconds": time.perf_counter() - began, "asking": asked / len(outcomes)}


def run(args):
    for kind in args.engines:
        specs = [(kind, name, seed, str(args.engine_binary)) for name in args.problems
                 for seed in args.seeds]
        store.fill(args.runs / f"{kind}.jsonl", specs, play, args.jobs)


def report(args):
    runs = {kind: store.runs(args.runs / f"{kind}.jsonl") for kind in args.engines}
    print(f"{'':<12}{'':<12}" + "".join(f"{kind:>14}" for kind in args.engines)
          + "    wins of the first at half; at the end")
    for name in args.problems:
        found = {kind: {key[1]: run for key, run in runs[kind].items() if key[0] == name}
                 for kind in args.engines}
        seeds = sorted(set.intersection(*(set(one) for one in found.values())))
        if not seeds:
            continue
        best = {kind: np.minimum.accumulate([one[seed]["outcomes"] for seed in seeds], axis=1)
                for kind, one in found.items()}
        for mark in (TRIALS[name] // 2, TRIALS[name]):
            ends = [best[kind][:, mark - 1] for kind in args.engines]
            wins = [f"{(ends[0] < other).sum()}:{(ends[0] > other).sum()}" for other in ends[1:]]
            print(f"{name:<12}{f'{mark} trials':<12}"
                  + "".join(f"{np.median(end):>14.6g}" for end in ends) + "    " + "  ".join(wins))
        seconds = [np.median([one[seed]["asking"] for seed in seeds]) for one in found.values()]
        print(f"{name:<12}{'s to ask':<12}" + "".join(f"{one:>14.4f}" for one in seconds))


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("verb", choices=("run", "report"))
    p.add_argument("--problems", nargs="+", choices=list(TRIALS), default=list(TRIALS))
    p.add_argument("--engines", nargs="+", choices=KINDS, default=list(KINDS))
    p.add_argument("--seeds", type=whole, default="1-10")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--engine-binary", type=pathlib.Path,
                   default=HERE.parents[1] / "target" / "release" / "serve")
    p.add_argument("--runs", type=pathlib.Path, default=HERE / "runs" / "mixtures")
    args = p.parse_args()
    run(args) if args.verb == "run" else report(args)


if __name__ == "__main__":
    main()
