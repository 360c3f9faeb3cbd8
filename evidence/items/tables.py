"""Tables of configurations x items with a price per cell, and the rules to compare with.

Every rule sees a table through `Run`: it buys cells, pays, and says at any time which
configuration it would choose. `Run` notes the regret of that choice at every sum of money.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

NAMES = (
    "zero_gsm", "zero_crux", "wild_turbo",  # language models
    "amlb_small",  # AutoML systems
    "aslib_asp_potassco", "aslib_sat18_exp", "aslib_qbf_2014", "aslib_csp_minizinc_time_2016",
    "aslib_sat15_indu",  # solvers
)


class Table:
    """Scores and costs, items without a missing cell only; the truth is the mean over them."""

    def __init__(self, folder, name):
        folder = Path(folder) / "gpl" if name.startswith("aslib") else Path(folder)
        if not folder.is_dir():
            sys.exit(f"The tables are not in {folder}: say where they are by --data.")
        read = lambda part: pd.read_csv(folder / f"{part}_{name}.csv.gz", index_col=0).to_numpy()
        scores, costs = read("scores"), read("costs")
        whole = ~(np.isnan(scores) | np.isnan(costs)).any(axis=0)
        self.name, self.scores, self.costs = name, scores[:, whole], costs[:, whole]
        self.total = self.costs.sum()

    def shuffled(self, seed):
        """Arms and items in the order of this seed: the same for every rule."""
        r = np.random.default_rng(seed)
        arms, items = r.permutation(self.scores.shape[0]), r.permutation(self.scores.shape[1])
        return self.scores[np.ix_(arms, items)], self.costs[np.ix_(arms, items)]


class Run:
    """Money spent and the choice at each of the sums `marks`; the choice counts when paid."""

    def __init__(self, scores, costs, marks):
        self.scores, self.costs, self.marks = scores, costs, np.asarray(marks, float)
        self.truth = scores.mean(axis=1)
        self.spent, self.choice, self.reached = 0.0, 0, 0
        self.regrets = np.full(len(marks), np.nan)

    def pay(self, money):
        """Pays; False once the last mark is passed. What a payment buys counts only after it."""
        self.spent += money
        while self.reached < len(self.marks) and self.spent > self.marks[self.reached]:
            self.regrets[self.reached] = self.truth.max() - self.truth[self.choice]
            self.reached += 1
        return self.reached < len(self.marks)

    def end(self):
        self.regrets[self.reached:] = self.truth.max() - self.truth[self.choice]
        return self.regrets


def uniform(scores, costs, marks):
    """The next item for all configurations, again and again."""
    run, total = Run(scores, costs, marks), np.zeros(len(scores))
    for j in range(scores.shape[1]):
        if not run.pay(costs[:, j].sum()):
            break
        total += scores[:, j]
        run.choice = int(total.argmax())
    return run.end()


def halving(scores, costs, marks, keep=0.5):
    """Successive halving, the same items for all survivors, one run for each sum of money."""
    truth = scores.mean(axis=1)
    return np.array([truth.max() - truth[_halving(scores, costs, m, keep)[0]] for m in marks])


def _halving(scores, costs, money, keep):
    arms, sums = np.arange(len(scores)), np.cumsum(scores, axis=1)
    rounds = max(1, int(np.ceil(np.log(len(scores)) / -np.log(keep) - 1e-9)))
    depth, spent, j = np.zeros(len(scores), int), 0.0, 0
    for r in range(rounds):
        price = np.cumsum(costs[arms, j:].sum(axis=0))
        more = int(np.searchsorted(price, money * (r + 1) / rounds - spent, side="right"))
        if more > 0:
            spent, j = spent + price[more - 1], j + more
        depth[arms] = j
        if j > 0:
            arms = arms[np.argsort(-sums[arms, j - 1], kind="stable")]
        choice, arms = arms[0], arms[: max(1, int(np.ceil(len(arms) * keep)))]
    return choice, depth


def halving_grown(scores, costs, marks, growth=1.1):
    """Halving without a sum of money said: runs of growing sums; what is bought is kept."""
    run, k = Run(scores, costs, marks), len(scores)
    paid = np.hstack([np.zeros((k, 1)), np.cumsum(costs, axis=1)])
    depth, money = np.zeros(k, int), 0.004 * costs.sum()
    while money <= 1.1 * costs.sum():
        choice, reach = _halving(scores, costs, money, 0.5)
        reach = np.maximum(reach, depth)
        if not run.pay((paid[np.arange(k), reach] - paid[np.arange(k), depth]).sum()):
            break
        run.choice, depth, money = choice, reach, money * growth
    return run.end()


def ucb(scores, costs, marks, a=1.0):
    """UCB-E: the next item of the configuration with the largest mean + sqrt(a / n)."""
    run = Run(scores, costs, marks)
    k, n_items = scores.shape
    count, mean, index = np.zeros(k, int), np.zeros(k), np.full(k, np.inf)
    while True:
        i = int(index.argmax())
        if index[i] == -np.inf or not run.pay(costs[i, count[i]]):
            return run.end()
        mean[i] += (scores[i, count[i]] - mean[i]) / (count[i] + 1)
        count[i] += 1
        index[i] = mean[i] + np.sqrt(a / count[i]) if count[i] < n_items else -np.inf
        run.choice = int(np.where(count > 0, mean, -1.0).argmax())
