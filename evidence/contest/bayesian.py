"""BoTorch in several ways: its single-task model, and what is published for many parameters."""

import math

from engine import Engine


class Botorch(Engine):
    """The single-task model and log expected improvement, set up as in the library's tutorials.

    A scrambled Sobol design of 2 (d + 1) points, at most half of the budget; inputs in the unit
    cube, outcomes standardized, the model fit anew for each suggestion.
    """

    packages = ("botorch", "gpytorch", "torch")
    # The design is at most the budget divided by this.
    share, options = 2, None

    def __init__(self, problem, seed):
        import torch

        super().__init__(problem, seed)
        torch.manual_seed(seed)
        torch.set_default_dtype(torch.float64)
        d = len(problem.parameters)
        self.design = torch.quasirandom.SobolEngine(d, scramble=True, seed=seed)
        self.initial = min(2 * (d + 1), problem.budget // self.share)
        self.inputs, self.pending, self.model = [], [], None

    def ask(self):
        asked = len(self.inputs) + len(self.pending)
        # With workers the first trials may be asked for before any is told.
        begins = asked < self.initial or len(self.inputs) < 2
        unit = self.design.draw(1)[0] if begins else None
        if unit is None:
            self.fit()
            acquisition = self.acquisition()
            unit = self.row(acquisition) if self.problem.table else self.search(acquisition)
        values = self.values(unit.tolist())
        kinds = self.problem.parameters
        self.trial = [self.seen(*at) for at in zip(kinds, values, unit)]
        self.pending.append(self.trial)
        return values

    def tell(self, outcome, cost):
        super().tell(outcome, cost)
        self.pending = [under_way for under_way in self.pending if under_way is not self.trial]
        self.inputs.append(self.trial)

    def acquisition(self):
        """With pending trials, that of batches with these in it."""
        import torch
        from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement

        best = self.targets.max()
        if not self.pending:
            return LogExpectedImprovement(self.model, best_f=best)
        under_way = torch.tensor(self.pending)
        return qLogExpectedImprovement(self.model, best_f=best, X_pending=under_way)

    def seen(self, p, value, unit):
        """Whole numbers are to the model where they are, not where they were looked for."""
        return float(unit) if p.kind in ("float", "log_float") else p.unit(value)

    def search(self, acquisition):
        """The best place of the unit cube."""
        import torch
        from botorch.optim import optimize_acqf

        d = len(self.problem.parameters)
        bounds = torch.stack([torch.zeros(d), torch.ones(d)])
        unit, _ = optimize_acqf(
            acquisition, bounds=bounds, q=1, num_restarts=10, raw_samples=512, options=self.options
        )
        return unit[0]

    def row(self, acquisition):
        """The best of the rows of a table that were not tried."""
        import torch
        from botorch.optim import optimize_acqf_discrete

        axes = self.problem.parameters
        places = self.problem.table["places"]
        units = torch.tensor([[p.unit(v) for p, v in zip(axes, row)] for row in places])
        tried = torch.tensor(self.inputs)
        return optimize_acqf_discrete(acquisition, 1, units, X_avoid=tried)[0][0]

    def family(self):
        """The model's class, and what of it is not the library's default."""
        from botorch.models import SingleTaskGP

        return SingleTaskGP, {}

    def fit(self):
        import torch
        from botorch.fit import fit_gpytorch_mll
        from botorch.models.transforms import Standardize
        from gpytorch.mlls import ExactMarginalLogLikelihood

        self.targets = -torch.tensor(self.outcomes)[:, None]
        inputs = torch.tensor(self.inputs)
        family, parts = self.family()
        self.model = family(inputs, self.targets, outcome_transform=Standardize(m=1), **parts)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(self.model.likelihood, self.model))

    def recommend(self):
        """The trial with the best posterior mean where there is noise, else the best outcome."""
        import torch

        if not self.problem.noisy:
            return super().recommend()
        self.fit()
        with torch.no_grad():
            return int(self.model.posterior(torch.tensor(self.inputs)).mean.argmax())


class Around(Botorch):
    """The same, the starts of the search drawn around the best trials too.

    The design takes at most a fifth of the budget, as Ax has it: a half would be a handicap where
    2 (d + 1) points are most of it.
    """

    share = 5
    options = {"sample_around_best": True}


class Msr(Around):
    """Maximum likelihood with scaled starts (Papenmeier et al., ICML 2025).

    Matern 5/2 with a length scale each and no prior, fit from sqrt(d) / 10 on; the search starts
    around the best trials too, with deviation 0.001.
    """

    options = {
        "sample_around_best": True, "sample_around_best_sigma": 1e-3,
        "sample_around_best_subset_sigma": 1e-3,
    }

    def family(self):
        from botorch.models import SingleTaskGP
        from gpytorch.kernels import MaternKernel, ScaleKernel
        from gpytorch.likelihoods import GaussianLikelihood

        d = len(self.problem.parameters)
        kernel = MaternKernel(2.5, ard_num_dims=d)
        kernel.lengthscale = math.sqrt(d) / 10
        parts = {"covar_module": ScaleKernel(kernel), "likelihood": GaussianLikelihood()}
        return SingleTaskGP, parts


class Alternating(Around):
    """The library's search that takes turns between what is discrete and what is continuous.

    Choices have the kernel of `MixedSingleTaskGP`. Flags and numbers are ordered, from 0 to 1. It
    knows no conditions.
    """

    def __init__(self, problem, seed):
        if names := [p.name for p in problem.parameters if p.when]:
            raise ValueError(f"botorch-mixed knows no conditions, as {names[0]} has")
        super().__init__(problem, seed)

    def places(self, *kinds):
        """The places in [0, 1] of the values of each parameter of these kinds, by its number."""
        axes = enumerate(self.problem.parameters)
        return {k: [self.seen(p, v, 0) for v in p.values()] for k, p in axes if p.kind in kinds}

    def seen(self, p, value, unit):
        if p.kind == "flag" or p.options:
            return p.values().index(value) / (len(p.values()) - 1)
        return super().seen(p, value, unit)

    def family(self):
        from botorch.models import MixedSingleTaskGP, SingleTaskGP

        choices = list(self.places("choice"))
        return (MixedSingleTaskGP, {"cat_dims": choices}) if choices else (SingleTaskGP, {})

    def search(self, acquisition):
        import torch
        from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating

        d = len(self.problem.parameters)
        unit, _ = optimize_acqf_mixed_alternating(
            acquisition, bounds=torch.stack([torch.zeros(d), torch.ones(d)]),
            discrete_dims=self.places("flag", "numbers", "ordinal"), cat_dims=self.places("choice"),
        )
        return unit[0]


class Turbo(Engine):
    """TuRBO-1 as in BoTorch's tutorial: its constants, Thompson sampling, batches of four.

    The tutorial has a design of 2 d points; here it is at most half of the budget. The tutorial
    ends where the region has become too small; here a new one begins, as its publication has it.
    """

    packages = ("botorch", "gpytorch", "torch")
    batch = 4
    length_min, length_max, successes = 0.5**7, 1.6, 10

    def __init__(self, problem, seed):
        import torch

        super().__init__(problem, seed)
        torch.manual_seed(seed)
        torch.set_default_dtype(torch.float64)
        self.d = len(problem.parameters)
        self.failures = math.ceil(max(4 / self.batch, self.d / self.batch))
        self.begin(min(2 * self.d, problem.budget // 2))

    def begin(self, count):
        """A region with a design of so many points; what was seen before is forgotten."""
        import torch

        sobol = torch.quasirandom.SobolEngine(self.d, scramble=True, seed=self.seed)
        self.seed += 1
        self.queue, self.pending = list(sobol.draw(count).double()), []
        self.inputs, self.targets = torch.empty(0, self.d), torch.empty(0)
        self.length, self.won, self.lost = 0.8, 0, 0

    def ask(self):
        if not self.queue:
            self.queue = list(self.propose())
        self.pending.append(self.queue.pop(0))
        return self.values(self.pending[-1].tolist())

    def tell(self, outcome, cost):
        import torch

        super().tell(outcome, cost)
        if self.queue:
            return
        fresh = -torch.tensor(self.outcomes[-len(self.pending):])
        if len(self.inputs):
            self.resize(fresh)
        self.inputs = torch.cat([self.inputs, torch.stack(self.pending)])
        self.targets = torch.cat([self.targets, fresh])
        self.pending = []
        left = self.problem.budget - len(self.outcomes)
        if self.length < self.length_min and left > 1:
            self.begin(max(1, min(2 * self.d, left // 2)))

    def resize(self, fresh):
        best = self.targets.max()
        if fresh.max() > best + 1e-3 * abs(best):
            self.won, self.lost = self.won + 1, 0
        else:
            self.won, self.lost = 0, self.lost + 1
        if self.won == self.successes:
            self.length, self.won = min(2 * self.length, self.length_max), 0
        elif self.lost == self.failures:
            self.length, self.lost = self.length / 2, 0

    def propose(self):
        """A batch by Thompson sampling among points that differ from the best in some places."""
        import torch
        from botorch.fit import fit_gpytorch_mll
        from botorch.generation import MaxPosteriorSampling
        from botorch.models import SingleTaskGP
        from gpytorch import settings
        from gpytorch.constraints import Interval
        from gpytorch.kernels import MaternKernel, ScaleKernel
        from gpytorch.likelihoods import GaussianLikelihood
        from gpytorch.mlls import ExactMarginalLogLikelihood

        targets = ((self.targets - self.targets.mean()) / self.targets.std())[:, None]
        scales = Interval(0.005, 4.0)
        kernel = MaternKernel(2.5, ard_num_dims=self.d, lengthscale_constraint=scales)
        likelihood = GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3))
        model = SingleTaskGP(
            self.inputs, targets, covar_module=ScaleKernel(kernel), likelihood=likelihood
        )
        with settings.max_cholesky_size(float("inf")):
            fit_gpytorch_mll(ExactMarginalLogLikelihood(likelihood, model))
            center = self.inputs[targets.argmax()]
            weights = kernel.lengthscale.detach()[0]
            weights = weights / weights.log().mean().exp()
            low = (center - weights * self.length / 2).clamp(0, 1)
            high = (center + weights * self.length / 2).clamp(0, 1)
            count = min(5000, max(2000, 200 * self.d))
            sobol = torch.quasirandom.SobolEngine(self.d, scramble=True)
            draws = low + (high - low) * sobol.draw(count).double()
            moved = torch.rand(count, self.d) <= min(20 / self.d, 1.0)
            still = torch.where(~moved.any(1))[0]
            moved[still, torch.randint(self.d, (len(still),))] = True
            candidates = torch.where(moved, draws, center)
            with torch.no_grad():
                return MaxPosteriorSampling(model, replacement=False)(candidates, self.batch)
