"""Who takes part. Each asks for the next trial, is told its outcome, and recommends a trial.

Everyone is used as its documentation shows it, with its defaults.
"""

import importlib.metadata
import warnings

import numpy as np

import server
import space
from bayesian import Alternating, Around, Botorch, Msr, Turbo
from engine import Engine


class Gittins(server.Server):
    """This library, by the program `serve`; `gittins-stop` has a price and says when to stop."""

    packages = ()

    def __init__(self, problem, seed, binary, name):
        super().__init__([binary])
        self.problem, self.trial, self.stop, self.asked = problem, None, None, 0
        self.judging = name == "gittins-stop"
        opening = {"direction": "minimize", "seed": seed}
        if problem.table:
            opening["table"] = {key: problem.table[key] for key in ("names", "rows", "log")}
        else:
            opening["space"] = {"parameters": [p.description() for p in problem.parameters],
                                "constraints": problem.constraints or []}
        if problem.money is not None:
            opening["cost"] = "learned"
        if self.judging:
            opening["policy"] = {"name": "gittins", "price": problem.price}
        self.say(opening)

    def ask(self):
        answer = self.say("ask")
        self.trial = answer["trial"]
        self.asked += 1
        if self.problem.table:
            return self.problem.table["places"][answer["row"]]
        return answer["values"]

    def tell(self, outcome, cost):
        told = {"trial": self.trial, "outcome": outcome}
        self.say({"tell": told | ({"cost": cost} if cost is not None else {})})
        if self.judging and self.stop is None:
            # Those under way are paid for.
            verdict = self.say("another")
            if verdict["stop"]:
                self.stop = [self.asked, verdict["words"]]

    def recommend(self):
        return self.say("recommendation")["trial"]


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
    """A study with one of the samplers; nothing is set but the seed and what `options` has.

    Choices and flags are categorical. A number or an ordered name is asked for by its place in the
    list, as a whole number: so the maintainers advise for powers of two, because categorical
    parameters know no order. What is absent is not asked for.
    """

    packages = ("optuna",)
    sampler, options = None, {}

    def __init__(self, problem, seed):
        import optuna

        super().__init__(problem, seed)
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.study = optuna.create_study(direction="minimize", sampler=self.sampler_of(seed))

    def sampler_of(self, seed):
        import optuna

        return getattr(optuna.samplers, self.sampler)(seed=seed, **self.options)

    def ask(self):
        self.trial = self.study.ask()
        return space.fill(self.problem.parameters, self.suggest)

    def suggest(self, _, p):
        log = p.kind.startswith("log_")
        if p.kind in ("int", "log_int"):
            return self.trial.suggest_int(p.name, p.low, p.high, log=log)
        if p.kind in ("choice", "flag"):
            return self.trial.suggest_categorical(p.name, p.values())
        if p.options:
            return p.options[self.trial.suggest_int(p.name, 0, len(p.options) - 1)]
        step = p.step if p.kind == "steps" else None
        return self.trial.suggest_float(p.name, p.low, p.high, log=log, step=step)

    def tell(self, outcome, cost):
        self.study.tell(self.trial, outcome)

    def recommend(self):
        return self.study.best_trial.number


class Gp(Optuna):
    packages = ("optuna", "torch")
    sampler = "GPSampler"


class Tpe(Optuna):
    sampler = "TPESampler"


class TpeSingle(Tpe):
    """Each parameter by itself, the default before Optuna 5."""

    options = {"multivariate": False}


class TpeGroup(Tpe):
    """Jointly what is there together, as the documentation has it for conditions."""

    options = {"multivariate": True, "group": True}


class Cma(Optuna):
    packages = ("optuna", "cmaes")
    sampler = "CmaEsSampler"


class CmaEs(Engine):
    """Mean in the middle, a sixth of the box as deviation (as Optuna has it), all else by default.

    With 0.3 of the box hardly a draw in 300 dimensions is inside of it. The draws are the package's,
    which multiplies two matrices for each; here a vector comes first, or 1000 dimensions take an
    hour.
    """

    packages = ("cmaes",)

    def __init__(self, problem, seed):
        from cmaes import CMA

        class Quick(CMA):
            def _sample_solution(self):
                basis, scales = self._eigen_decomposition()
                steps = basis @ (scales * self._rng.randn(self._n_dim))
                return self._mean + self._sigma * steps

        super().__init__(problem, seed)
        d = len(problem.parameters)
        bounds = np.tile([0.0, 1.0], (d, 1))
        self.cma = Quick(mean=np.full(d, 0.5), sigma=1 / 6, bounds=bounds, seed=seed)
        self.generation = []

    def ask(self):
        self.unit = self.cma.ask()
        return self.values(self.unit)

    def tell(self, outcome, cost):
        super().tell(outcome, cost)
        self.generation.append((self.unit, outcome))
        if len(self.generation) == self.cma.population_size:
            self.cma.tell(self.generation)
            self.generation = []


class Sampler(Optuna):
    """This library as a sampler of Optuna's; `sampler-stop` says when to stop.

    Where trials cost nothing it is told that all cost the same, or it would take the microseconds
    of a function for costs.
    """

    packages = ("optuna", "gittins")

    def __init__(self, problem, seed, judging=False):
        super().__init__(problem, seed)
        self.asked, self.stop, self.judge = 0, None, None
        if judging:
            from gittins.optuna import GittinsStop

            self.judge = GittinsStop(price=problem.price).judge

    def sampler_of(self, seed):
        from gittins.optuna import GittinsSampler

        return GittinsSampler(seed=seed, use_cost=self.problem.money is not None)

    def ask(self):
        self.asked += 1
        return super().ask()

    def tell(self, outcome, cost):
        if cost is not None:
            self.trial.set_user_attr("cost", cost)
        super().tell(outcome, cost)
        if self.judge and self.stop is None:
            said = self.judge(self.study)
            if said and said["stop"]:
                self.stop = [self.asked, said["words"]]


class Stopping(Sampler):
    def __init__(self, problem, seed):
        super().__init__(problem, seed, judging=True)


ENGINES = {
    "gittins": Gittins, "gittins-stop": Gittins, "gp": Gp, "tpe": Tpe, "cma": Cma,
    "botorch": Botorch, "random": Random, "cma-es": CmaEs, "botorch-around": Around, "msr": Msr,
    "turbo": Turbo, "tpe-single": TpeSingle, "tpe-group": TpeGroup, "botorch-mixed": Alternating,
    "sampler": Sampler, "sampler-stop": Stopping,
}

# Who may be asked for a trial while others are pending.
PARALLEL = ("gittins", "gittins-stop", "sampler", "sampler-stop", "gp", "tpe", "botorch", "random")


def start(name, problem, seed, binary, workers=1):
    """An engine at the start of a run, and the versions of what it is made of."""
    warnings.filterwarnings("ignore")
    if workers > 1 and name not in PARALLEL:
        raise ValueError(f"{name} asks for one trial at a time")
    if ENGINES[name] is Gittins:
        engine = Gittins(problem, seed, binary, name)
        return engine, server.versions(binary)
    found = {}
    for package in ENGINES[name].packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return ENGINES[name](problem, seed), found
