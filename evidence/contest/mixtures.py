#!/usr/bin/env python3
"""Mixtures whose parts sum to one: constraints that are known against amounts that are normalized.

    mixtures.py run --seeds 1-10 --engine-binary target/release/serve
    mixtures.py report
    mixtures.py speed

The data are those of BoCoDe, which is not imported: `pip install --no-deps bocode==1.0.1`. `p3ht` is
the conductivity of composites of five parts, `perovskite` the instability of three, each read at the
measured mixture that is nearest. `port2` and `port5` are portfolios of 85 and 225 assets: half the
variance less half the mean return, per week (Chang et al. 2000, without a number of assets). `sums`
is this library with the sum as a constraint. `normalized`, `tpe` and `cma` search the cube of
amounts, which are divided by their sum. `botorch` is LogEI of BoTorch with the sum as an equality
constraint. `random` is uniform among mixtures. `port2few` is `port2` with at most 10 assets and a
hundredth or more of each, the K and epsilon of Chang et al.: all but `sums` keep their ten largest
amounts, and share what is left of the whole by them.

`baybe`, `bofire` and `ax` have the sum as an equality constraint and are used at their defaults;
they play where `--engines` names them, and want `pip install baybe "bofire[optimization]"
ax-platform`. Ax's client refuses an equality in the text of `configure_experiment`, so it is given
an experiment that has one. BoFire has no default for its first trials: they are at random, as many
as `botorch` has. In `port2few` these three are not told how many parts may be there.

`speed` has 25 trials told of a smooth outcome, random mixtures, and prints the seconds of the next
three suggestions and the largest resident memory of the process that made them: 5, 10 and 20 parts
that sum to 1, and at most 4 of 20 parts with 0.02 or more of each. One suggestion of more than five
minutes ends it.
"""

import argparse
import csv
import functools
import importlib.util
import json
import pathlib
import signal
import subprocess
import sys
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
MORE = ("baybe", "bofire", "ax")
TRIALS = {"p3ht": 60, "perovskite": 30, "port2": 100, "port5": 100, "port2few": 100}
FEW, LEAST = 10, 0.01
SPEED = {"5 parts": (5, None), "10 parts": (10, None), "20 parts": (20, None),
         "4 of 20": (20, (4, 0.02))}
TOLD, LIMIT = 25, 300
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
        self.first = 2 * self.dim + 2

    def ask(self):
        self.points.append(self.suggest() if len(self.points) >= self.first else
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


class Known(Engine):
    """Knows the sum, and from `few` at most how many parts and how much of each at least."""

    def __init__(self, problem, seed, few=None):
        super().__init__(problem, seed)
        import torch

        torch.set_num_threads(1)
        self.names = [p.name for p in problem.parameters]
        self.first = 2 * len(self.names) + 2

    def tell(self, outcome, cost):
        super().tell(outcome, cost)
        self.add(self.trial, outcome)

    def frame(self, mixture, **more):
        import pandas

        return pandas.DataFrame([dict(zip(self.names, mixture)) | more])


class Baybe(Known):
    """A campaign with its recommender by default: one mixture at random, then BoTorch's."""

    def __init__(self, problem, seed, few=None):
        super().__init__(problem, seed, few)
        from baybe import Campaign
        from baybe.constraints import ContinuousCardinalityConstraint, ContinuousLinearConstraint
        from baybe.parameters import NumericalContinuousParameter
        from baybe.searchspace import SearchSpace
        from baybe.settings import Settings
        from baybe.targets import NumericalTarget

        Settings(random_seed=seed).activate()
        known = [ContinuousLinearConstraint(self.names, "=", rhs=1.0)]
        if few:
            known.append(ContinuousCardinalityConstraint(
                self.names, min_cardinality=1, max_cardinality=few[0], relative_threshold=few[1]))
        parts = [NumericalContinuousParameter(name, (0.0, 1.0)) for name in self.names]
        self.campaign = Campaign(SearchSpace.from_product(parts, known),
                                 NumericalTarget("loss", minimize=True))

    def ask(self):
        self.trial = self.campaign.recommend(1)[self.names].to_numpy(float)[0]
        return self.trial

    def add(self, mixture, outcome):
        self.campaign.add_measurements(self.frame(mixture, loss=outcome))


class Bofire(Known):
    """`SoboStrategy` at its defaults, after mixtures of `RandomStrategy`."""

    def __init__(self, problem, seed, few=None):
        super().__init__(problem, seed, few)
        from bofire.data_models.constraints.api import LinearEqualityConstraint, NChooseKConstraint
        from bofire.data_models.domain.api import Domain
        from bofire.data_models.features.api import ContinuousInput, ContinuousOutput
        from bofire.data_models.objectives.api import MinimizeObjective
        from bofire.strategies.api import RandomStrategy, SoboStrategy

        ones = [1.0] * len(self.names)
        known = [LinearEqualityConstraint(features=self.names, coefficients=ones, rhs=1.0)]
        if few:
            known.append(NChooseKConstraint(features=self.names, min_count=1, max_count=few[0],
                                            none_also_valid=False))
        domain = Domain(
            inputs=[ContinuousInput(key=name, bounds=(few[1] if few else 0.0, 1.0),
                                    allow_zero=bool(few)) for name in self.names],
            outputs=[ContinuousOutput(key="loss", objective=MinimizeObjective())],
            constraints=known)
        self.random = RandomStrategy.make(domain=domain, seed=seed)
        self.sobo = SoboStrategy.make(domain=domain, seed=seed)

    def ask(self):
        early = self.sobo.num_experiments < self.first
        found = (self.random if early else self.sobo).ask(1)
        self.trial = found[self.names].to_numpy(float)[0]
        return self.trial

    def add(self, mixture, outcome):
        self.sobo.tell(self.frame(mixture, loss=outcome, valid_loss=1))


class Ax(Known):
    """`Client` with its generation strategy by default: the center, four of Sobol, BoTorch."""

    def __init__(self, problem, seed, few=None):
        super().__init__(problem, seed, few)
        from ax.api.client import Client
        from ax.core.experiment import Experiment
        from ax.core.parameter import ParameterType, RangeParameter
        from ax.core.parameter_constraint import ParameterConstraint
        from ax.core.search_space import SearchSpace

        if few:
            raise ValueError("Ax has no constraint on the number of parts")
        parts = [RangeParameter(name, ParameterType.FLOAT, 0.0, 1.0) for name in self.names]
        whole_amount = ParameterConstraint(equality=" + ".join(self.names) + " == 1")
        self.client = Client(random_seed=seed)
        self.client.set_experiment(Experiment(SearchSpace(parts, [whole_amount])))
        self.client.configure_optimization(objective="-loss")

    def ask(self):
        ((self.trial, values),) = self.client.get_next_trials(max_trials=1).items()
        return np.array([values[name] for name in self.names])

    def add(self, trial, outcome):
        if not isinstance(trial, int):
            trial = self.client.attach_trial(dict(zip(self.names, map(float, trial))))
        self.client.complete_trial(trial_index=trial, raw_data={"loss": outcome})


PEERS = {"tpe": engines.Tpe, "cma": engines.Cma, "botorch": BoTorch, "baybe": Baybe,
         "bofire": Bofire, "ax": Ax, "random": Uniform}


def thinned(mixture):
    """The ten largest amounts, and at least a hundredth of each."""
    few = np.argsort(-mixture)[:FEW]
    thin = np.zeros(len(mixture))
    thin[few] = LEAST + (1.0 - FEW * LEAST) * mixture[few] / mixture[few].sum()
    return thin


def box_of(count):
    return [Parameter(f"part{k}", "float", 0.0, 1.0) for k in range(count)]


def known_to_ours(count, few):
    names = [p.name for p in box_of(count)]
    known = [{"equation": {"terms": [[name, 1] for name in names], "equal_to": 1}}]
    if few:
        known.append({"cardinality": {"parts": names, "at_most": few[0], "least": few[1]}})
    return known


def play(spec):
    kind, name, seed, binary = spec
    own, count = zlib.crc32(f"{name} {seed}".encode()), parts_of(name)
    problem = Problem(name, box_of(count), None, TRIALS[name])
    if kind == "sums":
        problem.constraints = known_to_ours(count, (FEW, LEAST) if name.endswith("few") else None)
    if kind in ("sums", "normalized"):
        engine = engines.Gittins(problem, own, binary, "gittins")
    else:
        engine = PEERS[kind](problem, own)
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


def peak(pid):
    """The largest resident memory of a process so far, in MB."""
    line = next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
                if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def suggest(kind, case, binary):
    """Prints the seconds of three suggestions and the memory of the process that made them."""
    count, few = SPEED[case]
    rng, problem = np.random.default_rng(1), Problem(case, box_of(count), None, TOLD)
    center = rng.dirichlet(np.ones(count))
    told = []
    for _ in range(TOLD):
        parts = rng.choice(count, few[0] if few else count, replace=False)
        least = few[1] if few else 0.0
        told.append(np.zeros(count))
        told[-1][parts] = least + (1 - least * len(parts)) * rng.dirichlet(np.ones(len(parts)))
    if kind == "sums":
        problem.constraints = known_to_ours(count, few)
        engine = engines.Gittins(problem, 1, binary, "gittins")
    else:
        engine = PEERS[kind](problem, 1, few) if few else PEERS[kind](problem, 1)
        engine.first = 0
    for mixture in told:
        value = float(((mixture - center) ** 2).sum())
        if kind == "sums":
            engine.say({"import": {"values": list(mixture), "outcome": value}})
        elif kind == "botorch":
            engine.points.append(mixture)
            engine.outcomes.append(value)
        else:
            engine.add(mixture, value)
    seconds = []
    for _ in range(3):
        # Which ends this process by itself, also in the middle of a library.
        signal.alarm(LIMIT)
        began = time.perf_counter()
        mixture = np.array(engine.ask(), float)
        seconds.append(time.perf_counter() - began)
        engine.tell(float(((mixture - center) ** 2).sum()), None)
    pid = engine.process.pid if kind == "sums" else "self"
    parts, least = int((mixture > 1e-6).sum()), float(mixture[mixture > 1e-6].min())
    print(json.dumps({"seconds": seconds, "megabytes": peak(pid), "parts": parts, "least": least,
                      "sum": float(mixture.sum())}))


def speed(args):
    for case in SPEED:
        for kind in ("sums", "botorch", *MORE):
            if kind == "botorch" and SPEED[case][1]:
                continue
            done = subprocess.run(
                [sys.executable, "-W", "ignore", __file__, "suggest", kind, case,
                 str(args.engine_binary)], capture_output=True, text=True, check=False)
            said = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
            over = f"more than {LIMIT} s" if done.returncode == -signal.SIGALRM else None
            print(f"{case:<12}{kind:<10}{over or (said or ['nothing said'])[-1]}", flush=True)


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
    p.add_argument("verb", choices=("run", "report", "speed"))
    p.add_argument("--problems", nargs="+", choices=list(TRIALS), default=list(TRIALS))
    p.add_argument("--engines", nargs="+", choices=KINDS + MORE, default=list(KINDS))
    p.add_argument("--seeds", type=whole, default="1-10")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--engine-binary", type=pathlib.Path,
                   default=HERE.parents[1] / "target" / "release" / "serve")
    p.add_argument("--runs", type=pathlib.Path, default=HERE / "runs" / "mixtures")
    args = p.parse_args()
    {"run": run, "report": report, "speed": speed}[args.verb](args)


if __name__ == "__main__":
    suggest(*sys.argv[2:]) if sys.argv[1:2] == ["suggest"] else main()
