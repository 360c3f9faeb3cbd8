"""Runs that are kept, and what statistics say of them."""

import collections
import math
import statistics

import numpy as np
from scipy import stats

import problems
import store

# Regrets are not told apart below this, which is the last of COCO's targets.
SMALLEST = 1e-8
TARGETS = 10.0 ** np.linspace(2, -8, 51)


def load(folder):
    """Runs by suite, label and (problem, seed), and those that failed and were not made up for."""
    runs = collections.defaultdict(lambda: collections.defaultdict(dict))
    failed = []
    paths = sorted(path for suite in problems.SUITES for path in folder.glob(f"{suite}/*.jsonl"))
    for path in paths:
        if not path.name.endswith(".failed.jsonl"):
            for key, record in store.runs(path).items():
                # Other seeds of an engine are for `compare`.
                if "repeat" not in record:
                    runs[record["suite"]][record["label"]][key] = record
    for path in paths:
        if path.name.endswith(".failed.jsonl"):
            failed += [record for key, record in store.runs(path).items()
                       if key not in runs[record["suite"]][record["label"]]
                       and record.get("repeat", 1) == 1]
    for name, suite in runs.items():
        check(suite, name in problems.SEEDED)
    return runs, failed


def check(suite, seeded):
    """All runs of a problem, or of one with its seed, must have seen the same function."""
    seen = {}
    for label, records in suite.items():
        for (problem, seed), record in records.items():
            key = (problem, seed) if seeded else problem
            probe = seen.setdefault(key, record.get("probe"))
            if record.get("probe") != probe:
                raise ValueError(f"{label} saw another function at {problem}, seed {seed}")


def best(record, evaluations):
    """The best value after so many evaluations."""
    value = math.inf
    for n, v in record["best"]:
        if n > evaluations:
            break
        value = v
    return value


def afforded(record, money):
    """How many trials were done when so much was spent."""
    return int(np.searchsorted(np.cumsum(record["costs"]), money, side="right"))


def final(record, share=1.0):
    """What a run is judged by: its recommendation where there is noise, else the best value.

    Where trials have costs, only those count that were done within this share of the money.
    """
    if "recommended" in record:
        value = record["recommended"][-1][1]
    elif "money" in record:
        value = best(record, afforded(record, share * record["money"]))
    else:
        value = record["best"][-1][1]
    return max(value, SMALLEST)


def finals(records, share=1.0):
    return {key: final(record, share) for key, record in records.items()}


def reached(records, evaluations):
    """The best values after so many evaluations, of the runs that have so many."""
    return {key: max(best(record, evaluations), SMALLEST) for key, record in records.items()
            if record["evaluations"] >= evaluations}


def wins(ours, theirs):
    """The share of the common problems on which ours is smaller, ties half, and their number."""
    common = [(ours[key], theirs[key]) for key in ours if key in theirs]
    if not common:
        return math.nan, 0
    return statistics.mean(0.5 if a == b else float(a < b) for a, b in common), len(common)


def sign_test(wins, losses):
    """The probability of a split at least as uneven, if both were equally likely."""
    n = wins + losses
    tail = sum(math.comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n if n else 1.0
    return min(1.0, 2 * tail)


def signed_rank(ours, theirs):
    """Wilcoxon's p-value of the logarithms' differences, and their median (negative: ours is less).

    Losses of real models are positive too, so that their ratio is what counts.
    """
    keys = [key for key in ours if key in theirs]
    gaps = np.log10([ours[k] for k in keys]) - np.log10([theirs[k] for k in keys])
    if len(keys) < 5 or not gaps.any():
        return math.nan, float(np.median(gaps)) if keys else math.nan
    return float(stats.wilcoxon(gaps).pvalue), float(np.median(gaps))


def holm(p):
    """The p-values of several tests, corrected by Holm's procedure; what was not tested stays."""
    adjusted, floor = dict.fromkeys(p, math.nan), 0.0
    tested = sorted((v, k) for k, v in p.items() if not math.isnan(v))
    for rank, (value, key) in enumerate(tested):
        floor = max(floor, min(1.0, value * (len(tested) - rank)))
        adjusted[key] = floor
    return adjusted


def ranks(values):
    """Mean ranks where all have runs, Friedman's p-value, the critical difference, the count."""
    keys = sorted(set.intersection(*(set(found) for found in values.values())))
    table = np.array([[found[key] for found in values.values()] for key in keys])
    n, k = len(keys), len(values)
    if n < 2 or k < 3:
        return None
    mean = stats.rankdata(table, axis=1).mean(0)
    q = stats.studentized_range.ppf(0.95, k, np.inf) / math.sqrt(2)
    p = float(stats.friedmanchisquare(*table.T).pvalue)
    return dict(zip(values, mean)), p, q * math.sqrt(k * (k + 1) / (6 * n)), n


def profile(records, evaluations):
    """The share of pairs of problem and target that were reached within each number."""
    values = np.array([[best(record, n) for n in evaluations] for record in records])
    # The smallest target counts as reached where values are not told apart any more.
    return (values[:, :, None] <= TARGETS * (1 + 1e-12)).mean((0, 2))


def stopped(record):
    """A stop, judged by what came after it, or none.

    `spent` and `trials` at the stop, and the best `value` then; what the best gained from there,
    and the price of what was paid for it; `beyond` says how much worse the stop's value with the
    price of all money is than at the best moment in hindsight. Where a run has no money, each
    trial costs 1 and all its trials count.
    """
    if "stop" not in record:
        return None
    at = record["stop"][0]
    count = record["evaluations"]
    end = afforded(record, record["money"]) if "money" in record else count
    if at >= end:
        return None
    spent = np.cumsum(record.get("costs", np.ones(count)))
    values = np.array([best(record, n) for n in range(1, end + 1)])
    adjusted = values + record["price"] * spent[:end]
    return {"spent": float(spent[at - 1]), "trials": at, "value": float(values[at - 1]),
            "gain": float(values[at - 1] - values[-1]),
            "price": float(record["price"] * (spent[end - 1] - spent[at - 1])),
            "beyond": float(adjusted[at - 1] - adjusted.min())}
