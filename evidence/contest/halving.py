"""Who decides by ranks alone: whole trials at random, ASHA, Hyperband.

Each plays one study with an account until the money is spent.
"""

import math

import numpy as np

#: Of the trials on a rung one in so many goes on.
ETA = 3


def thinned(rungs):
    """The rungs, counted from 1, that are nearest to the last one divided by powers of `ETA`.

    Halving by `ETA` on rungs that are closer than that would end nearly no trial.
    """
    logs, found = np.log(rungs), []
    for power in range(len(rungs)):
        target = logs[-1] - power * math.log(ETA)
        near = int(np.argmin(np.abs(logs - target)))
        if abs(logs[near] - target) < math.log(ETA) / 2 and near + 1 not in found:
            found.append(near + 1)
    return sorted(found)


def random(account, seed):
    rng = np.random.default_rng(seed)
    while True:
        account.pay(account.start(account.problem.draw(rng)), len(account.problem.rungs))


def ranked(loss):
    """A trial that broke is on its rung, behind all others."""
    return math.inf if loss is None else loss


class Ladder:
    """Trials on rungs. Who is among the best of a rung may go on to the next."""

    def __init__(self, account, rungs):
        self.account, self.rungs = account, rungs
        self.seen = [[] for _ in rungs]
        self.gone = [set() for _ in rungs]

    def promotable(self, level):
        """The best trial of a level that is in its first third and has not gone on; or none."""
        seen = self.seen[level]
        for loss, number, trial in sorted(seen, key=lambda one: one[:2])[:len(seen) // ETA]:
            if number not in self.gone[level] and loss < math.inf:
                self.gone[level].add(number)
                return trial
        return None

    def take(self, trial, level):
        loss = ranked(self.account.pay(trial, self.rungs[level]))
        self.seen[level].append((loss, trial.number, trial))


def asha(account, seed, rungs=None):
    """Asynchronous successive halving (Li et al. 2020) with one worker, from checkpoints."""
    rng = np.random.default_rng(seed)
    ladder = Ladder(account, rungs or thinned(account.problem.rungs))
    while True:
        for level in reversed(range(len(ladder.rungs) - 1)):
            if trial := ladder.promotable(level):
                ladder.take(trial, level + 1)
                break
        else:
            ladder.take(account.start(account.problem.draw(rng)), 0)


def asha_each(account, seed):
    """ASHA with a rung at each report."""
    asha(account, seed, list(range(1, len(account.problem.rungs) + 1)))


def hyperband(account, seed):
    """Hyperband (Li et al. 2018), again and again, from checkpoints."""
    rng = np.random.default_rng(seed)
    rungs = thinned(account.problem.rungs)
    most = len(rungs) - 1
    while True:
        for bracket in range(most, -1, -1):
            count = math.ceil((most + 1) / (bracket + 1) * ETA**bracket)
            trials = [account.start(account.problem.draw(rng)) for _ in range(count)]
            for rung in rungs[most - bracket:]:
                losses = [ranked(account.pay(trial, rung)) for trial in trials]
                order = sorted(range(len(trials)), key=lambda k: losses[k])
                kept = [k for k in order if losses[k] < math.inf]
                trials = [trials[k] for k in kept[:len(trials) // ETA]]


LABELS = {"random": random, "asha": asha, "asha-each": asha_each, "hyperband": hyperband}
