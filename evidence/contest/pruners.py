"""Optuna's samplers beside its pruners. What is pruned cannot be resumed."""

import warnings

from engines import Optuna

SAMPLERS = {"tpe": "TPESampler", "gp": "GPSampler"}
PRUNERS = ("none", "median", "hyperband", "halving", "wilcoxon", "gittins")
#: The user attribute that says what a trial has cost so far.
COST = "cost"


def pruner(name, rungs):
    """A pruner at its defaults; those that ask for it are told the first report and the last."""
    import optuna

    if name == "gittins":
        from gittins.optuna import GittinsPruner

        return GittinsPruner(total=rungs[-1], cost=COST)
    if name == "none":
        return optuna.pruners.NopPruner()
    if name == "median":
        return optuna.pruners.MedianPruner()
    if name == "wilcoxon":
        return optuna.pruners.WilcoxonPruner()
    if name == "halving":
        return optuna.pruners.SuccessiveHalvingPruner(min_resource=rungs[0])
    return optuna.pruners.HyperbandPruner(min_resource=rungs[0], max_resource=rungs[-1])


def sampler(name, seed):
    import optuna

    if name in SAMPLERS:
        return getattr(optuna.samplers, SAMPLERS[name])(seed=seed)
    from gittins.optuna import GittinsSampler

    # It reads the costs of trials that have ended by the same attribute.
    return GittinsSampler(seed=seed)


class Pruned(Optuna):
    """A sampler with a pruner, asked and told as the contest's other samplers are."""

    def __init__(self, label, account, seed, name):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.filterwarnings("ignore")
        sample, prune = label.split("-")
        self.account, self.problem = account, account.problem
        # Hyperband draws the bracket of a trial by the name of the study.
        self.study = optuna.create_study(
            study_name=name, direction="minimize",
            sampler=sampler(sample, seed),
            pruner=pruner(prune, self.problem.rungs),
        )

    def play(self):
        from optuna.trial import TrialState

        rungs = self.problem.rungs
        while True:
            trial = self.account.start(self.ask())
            for rung, progress in enumerate(rungs, 1):
                loss = self.account.pay(trial, rung)
                self.trial.set_user_attr(COST, trial.cost)
                if loss is None:
                    self.study.tell(self.trial, state=TrialState.FAIL)
                    break
                self.trial.report(loss, progress)
                if rung < len(rungs) and self.trial.should_prune():
                    self.study.tell(self.trial, state=TrialState.PRUNED)
                    break
            else:
                self.study.tell(self.trial, loss)


LABELS = [f"{sample}-{prune}" for sample in (*SAMPLERS, "gittins") for prune in PRUNERS]
