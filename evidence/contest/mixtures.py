#!/usr/bin/env python3
"""Mixtures whose parts sum to one: constraints that are known against amounts that are normalized.

    mixtures.py run --seeds 1-10 --engine-binary target/release/serve
    mixtures.py report

The data are those of BoCoDe, which is not imported: `pip install --no-deps bocode==1.0.1`. `p3ht` is
the conductivity of composites of five parts, `perovskite` the instability of three, each read at the
measured mixture that is nearest. `port2` and `port5` are portfolios of 85 and 225 assets: half the
variance less half the mean return, per week (Chang et al. 2000, without a number of assets). `sums`
is this library with the sum as a constraint. `normalized`, `tpe` and `cma` search the cube of
amounts, which are divided by their sum. `botorch` is LogEI of BoTorch with the sum as an equality
constraint. `random` is uniform among mixtures. `port2few` is `port2` with at most 10 assets and a
hundredth or more of each, the K and epsilon of Chang et al.: all but `sums` keep their ten largest
amounts, and share what is left of the whole by them.
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
KINDS = ("sums", "normalized", "tpe", "cma", "botorch", "random")
TRIALS = {"p3ht": 60, "perovskite": 30, "port2": 100, "port5": 100, "port2few": 100}
FEW, LEAST = 10, 0.01
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
    file = f"{name.removesuffix('few')}.txt"
    text = (data() / "engineering" / "Portfolio_Data" / file).read_text().split()
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


class BoTorch(Engine):
    """LogEI of an exact Gaussian process at its defaults, within an equality constraint."""

    def __init__(self, problem, seed):
        super().__init__(problem, seed)
        import torch

        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.torch, self.rng, self.points = torch, np.random.default_rng(seed), []

    def ask(self):
        self.points.append(self.suggest() if len(self.points) >= 2 * self.dim + 2 else
                           self.rng.dirichlet(np.ones(self.dim)))
        return self.points[-1]

    @property
    def dim(self):
        return len(self.problem.parameters)

    def suggest(self):
        from botorch.acquisition import LogExpectedImprovement
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import SingleTaskGP
        from botorch.models.transforms import Standardize
        from botorch.optim import optimize_acqf
        from gpytorch.mlls import ExactMarginalLogLikelihood

        torch = self.torch
        x = torch.tensor(np.array(self.points), dtype=torch.float64)
        y = -torch.tensor(self.outcomes, dtype=torch.float64).unsqueeze(-1)
        model = SingleTaskGP(x, y, outcome_transform=Standardize(1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        every = torch.arange(self.dim)
        whole_amount = [(every, torch.ones(self.dim, dtype=torch.float64), 1.0)]
        point, _ = optimize_acqf(
            LogExpectedImprovement(model, best_f=y.max()),
            bounds=torch.stack([torch.zeros(self.dim), torch.ones(self.dim)]).double(), q=1,
            num_restarts=10, raw_samples=512, equality_constraints=whole_amount)
        return point.squeeze(0).numpy()


def thinned(mixture):
    """The ten largest amounts, and at least a hundredth of each."""
    few = np.argsort(-mixture)[:FEW]
    thin = np.zeros(len(mixture))
    thin[few] = LEAST + (1.0 - FEW * LEAST) * mixture[few] / mixture[few].sum()
    return thin


def play(spec):
    kind, name, seed, binary = spec
    own, count = zlib.crc32(f"{name} {seed}".encode()), parts_of(name)
    box = [Parameter(f"part{k}", "float", 0.0, 1.0) for k in range(count)]
    problem = Problem(name, box, None, TRIALS[name])
    if kind == "sums":
        terms = [[p.name, 1] for p in box]
        problem.constraints = [{"equation": {"terms": terms, "equal_to": 1}}]
    if kind == "sums" and name.endswith("few"):
        few = {"parts": [p.name for p in box], "at_most": FEW, "least": LEAST}
        problem.constraints.append({"cardinality": few})
    if kind in ("sums", "normalized"):
        engine = engines.Gittins(problem, own, binary, "gittins")
    else:
        engine = {"tpe": engines.Tpe, "cma": engines.Cma, "botorch": BoTorch,
                  "random": Uniform}[kind](problem, own)
    outcomes, began, asked = [], time.perf_counter(), 0.0
    while len(outcomes) < TRIALS[name]:
        before = time.perf_counter()
        amounts = np.array(engine.ask(), float)
        asked += time.perf_counter() - before
        whole_amount = amounts.sum()
        mixture = amounts / whole_amount if whole_amount > 0 else np.full(count, 1 / count)
        if name.endswith("few") and kind != "sums":
            mixture = thinned(mixture)
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
