"""Who takes part. Each asks for the next trial, is told its outcome, and recommends a trial.

Everyone is used as its documentation shows it, with its defaults.
"""

import hashlib
import importlib.metadata
import json
import os
import pathlib
import subprocess
import warnings

import numpy as np


class Gittins:
    """This library, by the program `serve`; `gittins-stop` has a price and says when to stop."""

    packages = ()

    def __init__(self, problem, seed, binary, name):
        self.process = subprocess.Popen(
            [binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.problem, self.trial, self.stop = problem, None, None
        self.judging = name == "gittins-stop"
        opening = {"direction": "minimize", "seed": seed}
        if problem.table:
            opening["table"] = {key: problem.table[key] for key in ("names", "rows", "log")}
        else:
            opening["space"] = {"parameters": [
                {"name": p.name, "kind": {p.kind: {"low": p.low, "high": p.high}}}
                for p in problem.parameters
            ]}
        if problem.money is not None:
            opening["cost"] = "learned"
        if self.judging:
            price = {"lambda": problem.price}
            opening["policy"] = {"pointwise": {"gittins": price}}
        self.say(opening)

    def say(self, line):
        self.process.stdin.write(json.dumps(line) + "\n")
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def ask(self):
        answer = self.say("ask")
        self.trial = answer["trial"]
        if self.problem.table:
            return self.problem.table["places"][answer["row"]]
        return answer["values"]

    def tell(self, outcome, cost):
        told = {"trial": self.trial, "outcome": outcome}
        self.say({"tell": told | ({"cost": cost} if cost is not None else {})})
        if self.judging and self.stop is None:
            verdict = self.say("verdict")
            if verdict["stop"]:
                self.stop = [self.trial + 1, verdict["words"]]

    def recommend(self):
        return self.say("recommendation")["trial"]

    def versions(self, binary):
        digest = hashlib.sha256(pathlib.Path(binary).read_bytes()).hexdigest()[:12]
        set_by = {k: v for k, v in os.environ.items() if k.startswith("GITTINS_")}
        return {"serve": digest} | set_by


class Engine:
    """What the others have in common: they live in this process and know what they were told."""

    def __init__(self, problem, seed):
        self.problem, self.seed, self.outcomes = problem, seed, []

    def tell(self, outcome, cost):
        self.outcomes.append(outcome)

    def recommend(self):
        return int(np.argmin(self.outcomes))

    def values(self, unit):
        return [p.value(float(u)) for p, u in zip(self.problem.parameters, unit)]


class Random(Engine):
    packages = ("numpy",)

    def __init__(self, problem, seed):
        super().__init__(problem, seed)
        self.rng = np.random.default_rng(seed)
        self.order = list(self.rng.permutation(len(problem.table["rows"]))) if problem.table else []

    def ask(self):
        if self.order:
            return self.problem.table["places"][self.order.pop()]
        return self.values(self.rng.random(len(self.problem.parameters)))


class Optuna(Engine):
    """A study with one of the samplers; the sampler's seed is all that is set."""

    packages = ("optuna",)
    sampler = None

    def __init__(self, problem, seed):
        import optuna

        super().__init__(problem, seed)
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        sampler = getattr(optuna.samplers, self.sampler)(seed=seed)
        self.study = optuna.create_study(direction="minimize", sampler=sampler)

    def ask(self):
        self.trial = self.study.ask()
        return [
            self.trial.suggest_int(p.name, p.low, p.high) if p.kind == "int"
            else self.trial.suggest_float(p.name, p.low, p.high, log=p.kind == "log_float")
            for p in self.problem.parameters
        ]

    def tell(self, outcome, cost):
        self.study.tell(self.trial, outcome)

    def recommend(self):
        return self.study.best_trial.number


class Gp(Optuna):
    packages = ("optuna", "torch")
    sampler = "GPSampler"


class Tpe(Optuna):
    sampler = "TPESampler"


class Cma(Optuna):
    packages = ("optuna", "cmaes")
    sampler = "CmaEsSampler"


class Botorch(Engine):
    """The single-task model and log expected improvement, set up as in the library's tutorials.

    A scrambled Sobol design of 2 (d + 1) points, at most half of the budget; inputs in the unit
    cube, outcomes standardized, the model fit anew for each suggestion.
    """

    packages = ("botorch", "gpytorch", "torch")

    def __init__(self, problem, seed):
        import torch

        super().__init__(problem, seed)
        torch.manual_seed(seed)
        torch.set_default_dtype(torch.float64)
        d = len(problem.parameters)
        self.design = torch.quasirandom.SobolEngine(d, scramble=True, seed=seed)
        self.initial = min(2 * (d + 1), problem.budget // 2)
        self.inputs, self.model = [], None

    def ask(self):
        import torch
        from botorch.acquisition import LogExpectedImprovement
        from botorch.optim import optimize_acqf

        unit = self.design.draw(1)[0] if len(self.inputs) < self.initial else None
        if unit is None:
            self.fit()
            acquisition = LogExpectedImprovement(self.model, best_f=self.targets.max())
            if self.problem.table:
                unit = self.row(acquisition)
            else:
                d = len(self.problem.parameters)
                bounds = torch.stack([torch.zeros(d), torch.ones(d)])
                unit, _ = optimize_acqf(
                    acquisition, bounds=bounds, q=1, num_restarts=10, raw_samples=512
                )
                unit = unit[0]
        values = self.values(unit.tolist())
        # The model sees whole numbers where they are, not where they were looked for.
        kinds = self.problem.parameters
        self.inputs.append([
            p.unit(v) if p.kind == "int" else float(u) for p, v, u in zip(kinds, values, unit)
        ])
        return values

    def row(self, acquisition):
        """The best of the rows of a table that were not tried."""
        import torch
        from botorch.optim import optimize_acqf_discrete

        axes = self.problem.parameters
        places = self.problem.table["places"]
        units = torch.tensor([[p.unit(v) for p, v in zip(axes, row)] for row in places])
        tried = torch.tensor(self.inputs)
        return optimize_acqf_discrete(acquisition, 1, units, X_avoid=tried)[0][0]

    def fit(self):
        import torch
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import SingleTaskGP
        from botorch.models.transforms import Standardize
        from gpytorch.mlls import ExactMarginalLogLikelihood

        self.targets = -torch.tensor(self.outcomes)[:, None]
        inputs = torch.tensor(self.inputs)
        self.model = SingleTaskGP(inputs, self.targets, outcome_transform=Standardize(m=1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(self.model.likelihood, self.model))

    def recommend(self):
        """The trial with the best posterior mean where there is noise, else the best outcome."""
        import torch

        if not self.problem.noisy:
            return super().recommend()
        self.fit()
        with torch.no_grad():
            return int(self.model.posterior(torch.tensor(self.inputs)).mean.argmax())


class Smac(Engine):
    """The facade for black boxes, on whole numbers that for hyperparameters; asked and told."""

    packages = ("smac", "ConfigSpace")

    def __init__(self, problem, seed):
        import tempfile

        import smac
        from ConfigSpace import ConfigurationSpace, Float, Integer

        super().__init__(problem, seed)
        space = ConfigurationSpace(seed=seed)
        for p in problem.parameters:
            if p.kind == "int":
                space.add(Integer(p.name, (int(p.low), int(p.high))))
            else:
                space.add(Float(p.name, (p.low, p.high), log=p.kind == "log_float"))
        whole = any(p.kind == "int" for p in problem.parameters)
        facade = smac.HyperparameterOptimizationFacade if whole else smac.BlackBoxFacade
        scenario = smac.Scenario(
            space, deterministic=True, n_trials=problem.budget, seed=seed,
            output_directory=pathlib.Path(tempfile.mkdtemp()),
        )
        self.smac = facade(
            scenario, lambda config, seed=0: 0.0, logging_level=False, overwrite=True
        )

    def ask(self):
        self.info = self.smac.ask()
        return [self.info.config[p.name] for p in self.problem.parameters]

    def tell(self, outcome, cost):
        from smac.runhistory.dataclasses import TrialValue

        super().tell(outcome, cost)
        self.smac.tell(self.info, TrialValue(cost=outcome))


class Hebo(Engine):
    packages = ("HEBO",)

    def __init__(self, problem, seed):
        from hebo.design_space.design_space import DesignSpace
        from hebo.optimizers.hebo import HEBO

        super().__init__(problem, seed)
        np.random.seed(seed)
        kinds = {"float": "num", "log_float": "pow", "int": "int"}
        space = DesignSpace().parse([
            {"name": p.name, "type": kinds[p.kind], "lb": p.low, "ub": p.high}
            for p in problem.parameters
        ])
        self.hebo = HEBO(space, scramble_seed=seed)

    def ask(self):
        self.row = self.hebo.suggest(n_suggestions=1)
        return [self.row[p.name].iloc[0].item() for p in self.problem.parameters]

    def tell(self, outcome, cost):
        super().tell(outcome, cost)
        self.hebo.observe(self.row, np.array([[outcome]]))


ENGINES = {
    "gittins": Gittins, "gittins-stop": Gittins, "gp": Gp, "tpe": Tpe, "cma": Cma,
    "botorch": Botorch, "hebo": Hebo, "smac": Smac, "random": Random,
}


def start(name, problem, seed, binary):
    """An engine at the start of a run, and the versions of what it is made of."""
    warnings.filterwarnings("ignore")
    if ENGINES[name] is Gittins:
        engine = Gittins(problem, seed, binary, name)
        return engine, engine.versions(binary)
    found = {}
    for package in ENGINES[name].packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return ENGINES[name](problem, seed), found
