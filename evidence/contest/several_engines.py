"""Who takes part where trials have several numbers. Each is used as its documentation shows it."""

import inspect
import warnings

import bayesian
import engines
import numpy as np
from engine import Engine


class Random(engines.Random):
    packages = ("numpy",)

    def __init__(self, problem, seed):
        Engine.__init__(self, problem, seed)
        self.rng, self.order = np.random.default_rng(seed), []

    def tell(self, outcomes, limits):
        pass


def held(trial):
    """The numbers of a trial's limits, as Optuna's samplers take them."""
    return trial.user_attrs["limits"]


class Optuna(engines.Optuna):
    """A study with one of the samplers, told the numbers of limits by `constraints_func`."""

    def __init__(self, problem, seed):
        import optuna

        Engine.__init__(self, problem, seed)
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        directions = ["minimize"] * problem.objectives
        self.study = optuna.create_study(directions=directions, sampler=self.sampler_of(seed))

    def settings(self):
        return {"constraints_func": held} if self.problem.limits else {}

    def sampler_of(self, seed):
        import optuna

        return getattr(optuna.samplers, self.sampler)(seed=seed, **self.settings())

    def tell(self, outcomes, limits):
        self.trial.set_user_attr("limits", limits)
        self.study.tell(self.trial, outcomes)


class Gp(Optuna):
    packages = ("optuna", "torch")
    sampler = "GPSampler"


class Tpe(Optuna):
    sampler = "TPESampler"


class Nsga(Optuna):
    sampler = "NSGAIISampler"


class GittinsOptuna(Optuna):
    """This library as a sampler of Optuna's; trials cost the same."""

    packages = ("optuna", "gittins")

    def sampler_of(self, seed):
        from gittins.optuna import GittinsSampler

        return GittinsSampler(seed=seed, use_cost=False, **self.settings())

    @staticmethod
    def lacking():
        try:
            import gittins.optuna  # noqa: F401
        except ImportError as error:
            return str(error)


class Library(Engine):
    """What both kinds of our studies have in common."""

    packages = ("gittins",)

    def __init__(self, problem, seed):
        from budget import spanned

        super().__init__(problem, seed)
        self.study = self.begin(spanned(problem.parameters), seed)

    def limits(self):
        return {f"c{k}": {"at_most": 0.0} for k in range(self.problem.limits)}

    def measured(self, limits):
        return {f"c{k}": limit for k, limit in enumerate(limits)}

    def ask(self):
        self.trial = self.study.ask()
        return [self.trial[p.name] for p in self.problem.parameters]


class Gittins(Library):
    """This library, with limits on numbers that are told beside the outcome."""

    def begin(self, space, seed):
        import gittins

        return gittins.Study(space, cost=None, seed=seed, limits=self.limits())

    def tell(self, outcomes, limits):
        self.study.tell(self.trial, outcomes[0], measured=self.measured(limits))

    def recommended(self):
        best = self.study.best()
        return None if best is None else best.trial

    @staticmethod
    def lacking():
        return without("Study", "limits")


class GittinsSign(Library):
    """This library, told only that a trial broke a limit, not by how much."""

    def begin(self, space, seed):
        import gittins

        return gittins.Study(space, cost=None, seed=seed)

    def tell(self, outcomes, limits):
        if all(limit <= 0 for limit in limits):
            self.study.tell(self.trial, outcomes[0])
        else:
            self.study.tell(self.trial, infeasible=True)

    @staticmethod
    def lacking():
        return without("Study", "seed")


class GittinsFront(Library):
    """This library, with several objectives."""

    def begin(self, space, seed):
        import gittins

        first, *others = self.problem.reference
        objectives = {
            f"f{k}": {"direction": "minimize", "reference": reference}
            for k, reference in enumerate(others, 1)
        }
        return gittins.Study(space, policy=self.policy(), seed=seed, limits=self.limits(),
                             objectives=objectives, reference=first)

    def policy(self):
        return "log_ei"

    def tell(self, outcomes, limits):
        others = {f"f{k}": outcome for k, outcome in enumerate(outcomes[1:], 1)}
        self.study.tell(self.trial, outcomes[0], measured={**others, **self.measured(limits)})

    @staticmethod
    def lacking():
        return without("Study", "objectives")


class GittinsFrontStop(GittinsFront):
    """The same at a price of a trial in units of hypervolume: it says when to stop."""

    def __init__(self, problem, seed, price):
        self.price = price
        super().__init__(problem, seed)

    def policy(self):
        import gittins

        return gittins.policy.gittins(self.price)


def without(name, setting):
    """What this version of the library does not have, in words."""
    try:
        import gittins
    except ImportError as error:
        return str(error)
    if not hasattr(gittins, name):
        return f"gittins of this version has no {name}"
    if setting not in inspect.signature(getattr(gittins, name)).parameters:
        return f"{name} of this version has no {setting}"
    return None


class Botorch(bayesian.Botorch):
    """One `SingleTaskGP` of all numbers, independent given the inputs, fit anew for each trial.

    The acquisition is log constrained expected improvement, and as long as no trial held all limits
    the log probability that they hold; with several objectives it is `qLogNoisyExpected-
    HypervolumeImprovement`. A Sobol design of 2 (d + 1) points, at most half of the budget. Of a
    table it takes the best row that was not tried. Choices of more than two options are one-hot.
    """

    packages = ("botorch", "gpytorch", "torch")

    def __init__(self, problem, seed):
        super().__init__(problem, seed)
        self.numbers, self.holding, self.choices = [], [], None

    def ask(self):
        if len(self.inputs) < self.initial:
            values = self.values(self.design.draw(1)[0].tolist())
        else:
            self.fit()
            acquisition = self.acquisition()
            if self.problem.rows:
                values = self.problem.rows[self.row(acquisition)]
            else:
                values = self.values(self.search(acquisition).tolist())
        self.trial = self.place(values)
        return values

    def place(self, values):
        """Where the model sees a setting."""
        found = []
        for p, value in zip(self.problem.parameters, values):
            if p.kind == "choice" and len(p.options) > 2:
                found += [float(value == option) for option in p.options]
            elif p.options:
                found.append(p.options.index(value) / (len(p.options) - 1))
            else:
                found.append(p.unit(value))
        return found

    def tell(self, outcomes, limits):
        self.inputs.append(self.trial)
        self.numbers.append([-outcome for outcome in outcomes] + limits)
        self.holding.append(all(limit <= 0 for limit in limits))

    def fit(self):
        import torch
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import SingleTaskGP
        from gpytorch.mlls import ExactMarginalLogLikelihood

        self.targets = torch.tensor(self.numbers)
        self.model = SingleTaskGP(torch.tensor(self.inputs), self.targets)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(self.model.likelihood, self.model))

    def acquisition(self):
        from botorch.acquisition.analytic import (
            LogConstrainedExpectedImprovement,
            LogProbabilityOfFeasibility,
        )

        limits = {1 + k: (None, 0.0) for k in range(self.problem.limits)}
        if not any(self.holding):
            return LogProbabilityOfFeasibility(self.model, limits)
        best = self.targets[self.holding, 0].max()
        return LogConstrainedExpectedImprovement(self.model, best, 0, limits)

    def row(self, acquisition):
        """The number of the best row of the table that was not tried."""
        import torch
        from botorch.optim import optimize_acqf_discrete

        if self.choices is None:
            self.choices = torch.tensor([self.place(row) for row in self.problem.rows])
        # Small batches, because each needs all samples of the posterior at once.
        found, _ = optimize_acqf_discrete(
            acquisition, 1, self.choices, max_batch_size=256, X_avoid=torch.tensor(self.inputs)
        )
        return int((self.choices == found[0]).all(1).nonzero()[0])


class BotorchFront(Botorch):
    """The same model with noisy expected hypervolume improvement at the problem's reference."""

    def acquisition(self):
        import torch
        from botorch.acquisition.multi_objective.logei import (
            qLogNoisyExpectedHypervolumeImprovement,
        )
        from botorch.acquisition.multi_objective.objective import IdentityMCMultiOutputObjective

        m, settings = self.problem.objectives, {}
        if self.problem.limits:
            settings["objective"] = IdentityMCMultiOutputObjective(outcomes=list(range(m)))
            settings["constraints"] = [
                lambda numbers, k=k: numbers[..., m + k] for k in range(self.problem.limits)
            ]
        return qLogNoisyExpectedHypervolumeImprovement(
            self.model, ref_point=[-r for r in self.problem.reference],
            X_baseline=torch.tensor(self.inputs), prune_baseline=True, **settings,
        )


class Egobox(Engine):
    """`suggest` of `Egor`, and of `Belfegor` for several objectives, at their defaults.

    The design is the one that their `minimize` draws by itself: max(5, d + 1) points by `lhs`.
    A `suggest` keeps nothing for the next one. Floats alone.
    """

    packages = ("egobox",)

    def __init__(self, problem, seed):
        import egobox

        if names := [p.name for p in problem.parameters if p.kind != "float"]:
            raise ValueError(f"egobox is played on floats alone, and {names[0]} is none")
        super().__init__(problem, seed)
        box = [[p.low, p.high] for p in problem.parameters]
        settings = {"n_cstr": problem.limits, "seed": seed}
        if problem.objectives == 1:
            self.optimizer = egobox.Egor(box, **settings)
        else:
            self.optimizer = egobox.Belfegor(box, n_obj=problem.objectives, **settings)
        self.design = egobox.lhs(box, max(5, len(box) + 1), seed=seed)
        self.inputs, self.numbers, self.box = [], [], np.array(box).T

    def ask(self):
        if len(self.inputs) < len(self.design):
            point = self.design[len(self.inputs)]
        else:
            point = self.optimizer.suggest(np.array(self.inputs), np.array(self.numbers))[0]
        # Rounding may take a point of the border beyond it.
        self.trial = np.clip(point, *self.box).tolist()
        return self.trial

    def tell(self, outcomes, limits):
        self.inputs.append(self.trial)
        self.numbers.append(outcomes + limits)

    @staticmethod
    def lacking():
        try:
            import egobox  # noqa: F401
        except ImportError as error:
            return str(error)


ENGINES = {
    "limits": {"gittins": Gittins, "gittins-sign": GittinsSign, "gittins-optuna": GittinsOptuna,
               "gp": Gp, "tpe": Tpe, "botorch": Botorch, "egobox": Egobox, "random": Random},
    "fronts": {"gittins": GittinsFront, "gittins-optuna": GittinsOptuna, "gp": Gp, "tpe": Tpe,
               "nsga2": Nsga, "botorch": BotorchFront, "egobox": Egobox, "random": Random},
}


def lacking(contest, name):
    """Why an engine cannot take part, or nothing."""
    of = ENGINES[contest][name]
    return of.lacking() if hasattr(of, "lacking") else None


def start(contest, name, problem, seed):
    warnings.filterwarnings("ignore")
    return ENGINES[contest][name](problem, seed)
