"""What studies in instalments say: regrets over money, factors of seconds, wins, stops."""

import collections
import math

import numpy as np

import comparison
import store
from report import table as aligned
from staged import UNITS

MARKS = (2, 4, 8, 12, 20)
RIVALS_AT = (4, 8, 10, 20)
GRID = np.linspace(0.0, UNITS, 10 * UNITS + 1)
DRAWS = 1000


def kept(args):
    """The studies of each suite by label and (problem, seed)."""
    found = collections.defaultdict(dict)
    for suite in args.suites:
        for path in sorted((args.runs / suite).glob("*.jsonl")):
            if path.name.endswith(".failed.jsonl"):
                continue
            found[suite][path.stem] = store.runs(path)
    return found


def bests(labels):
    """The best loss known of each problem: what trials at random and everybody have found."""
    found = {}
    for records in labels.values():
        for (id, _), record in records.items():
            ends = [record["best"], *(loss for _, loss in record["hand"])]
            found[id] = min(found.get(id, math.inf), *ends)
    return found


def regrets(record, best, at=GRID):
    """The regret in hand at units of money: 1 with nothing finished, at most 1."""
    width = record["median"] - best
    values = [1.0] + [min((loss - best) / width, 1.0) for _, loss in record["hand"]]
    # Money that is reached up to rounding counts.
    times = [units * (1 - 1e-9) for units, _ in record["hand"]]
    return np.array(values)[np.searchsorted(times, at, side="right")]


def at(curve, units):
    return curve[..., round(10 * units)]


def table(args, half):
    for suite, labels in kept(args).items():
        best = bests(labels)

        def wanted(key):
            return (args.half in ("all", half(suite, key[0]))
                    and (not args.problems or key[0] in args.problems)
                    and (args.seeds is None or key[1] in args.seeds))

        keys = {label: {key for key in records if wanted(key)} for label, records in labels.items()}
        # Everybody is judged where we are, if there are any studies of ours.
        ours = keys.get(args.us) or set.union(set(), *keys.values())
        shown = [label for label in keys if keys[label] & ours
                 and (args.against is None or label in (*args.against, args.us))]
        found = {
            label: {key: regrets(labels[label][key], best[key[0]])
                    for key in sorted(keys[label] & ours)}
            for label in shown
        }
        if not found:
            continue
        print(f"## {suite}, {args.half}: {len({id for id, _ in ours})} problems, "
              f"{len(ours)} studies\n")
        print(means(found, labels), "\n")
        if args.us in found and len(found) > 1:
            print(factors(found, args.us), "\n")
        if args.by_problem:
            print(problems(found), "\n")
        for label in found:
            if lines := stops([labels[label][key] for key in found[label]], best, args.price):
                print(f"Stops of {label}:\n\n{lines}\n")


def means(found, labels):
    """Mean regrets with standard errors over the studies of each label."""
    lines = []
    for label, studies in found.items():
        values = np.array(list(studies.values()))
        cells = []
        for mark in MARKS:
            some = at(values, mark)
            error = some.std(ddof=1) / math.sqrt(len(some)) if len(some) > 1 else math.nan
            cells.append(f"{some.mean():.3f} +- {error:.3f}")
        records = [labels[label][key] for key in studies]
        counts = [f"{np.mean([record[key] for record in records]):.0f}"
                  for key in ("started", "finished")]
        seconds = np.mean([record["seconds"] for record in records])
        lines.append((float(at(values, UNITS).mean()),
                      [label, len(studies), *cells, " / ".join(counts), f"{seconds:.2f}"]))
    lines = [line for _, line in sorted(lines, key=lambda one: one[0])]
    heads = ["mean regret after", "studies", *(f"{mark} units" for mark in MARKS),
             "started / finished", "seconds of thought"]
    return aligned(heads, lines)


def reached(curve, level):
    """When a mean curve is at a level; the end, and `False`, if it never is."""
    below = np.flatnonzero(curve <= level + 1e-12)
    return (max(GRID[below[0]], GRID[1]), True) if len(below) else (GRID[-1], False)


def factors(found, us):
    """How many times less money we need to be where a rival is, and who is ahead in how many."""
    lines = []
    for label in found:
        common = sorted(found[us].keys() & found[label].keys())
        if label == us or not common:
            continue
        a, b = (np.array([found[one][key] for key in common]) for one in (us, label))
        ids = sorted({id for id, _ in common})
        of = [np.array([k for k, (id, _) in enumerate(common) if id == one]) for one in ids]
        cells = [label, len(common)]
        rng = np.random.default_rng(0)
        draws = [np.concatenate([of[k] for k in rng.integers(len(ids), size=len(ids))])
                 for _ in range(DRAWS)]
        means = [(a[rows].mean(0), b[rows].mean(0)) for rows in draws]
        for mark in RIVALS_AT:
            when, there = reached(a.mean(0), at(b.mean(0), mark))
            # A mean of 1 says that nothing is finished: no one has got anywhere.
            if at(b.mean(0), mark) >= 1.0:
                cells.append("-")
                continue
            spread = [mark / reached(one, at(other, mark))[0] for one, other in means
                      if at(other, mark) < 1.0]
            low, high = np.quantile(spread, [0.1, 0.9])
            cells.append(f"{'' if there else '< '}{mark / when:.2f} [{low:.2f}, {high:.2f}]")
        for mark in RIVALS_AT:
            wins = int((at(a, mark) < at(b, mark) - 1e-9).sum())
            losses = int((at(a, mark) > at(b, mark) + 1e-9).sum())
            cells.append(f"{wins}:{losses} p {comparison.sign_test(wins, losses):.1g}")
        gaps = at(a, UNITS) - at(b, UNITS)
        error = gaps.std(ddof=1) / math.sqrt(len(gaps)) if len(gaps) > 1 else math.nan
        cells.append(f"{gaps.mean():+.3f} +- {error:.3f}")
        lines.append(cells)
    heads = [f"{us} against", "studies", *(f"factor at {mark}" for mark in RIVALS_AT),
             *(f"wins at {mark}" for mark in RIVALS_AT), "difference at the end"]
    return aligned(heads, lines)


def problems(found):
    """Mean regret at the end, problem by problem."""
    ids = sorted({id for studies in found.values() for id, _ in studies})
    lines = []
    for one in ids:
        some = [[at(curve, UNITS) for (id, _), curve in studies.items() if id == one]
                for studies in found.values()]
        lines.append([one, *(f"{np.mean(part):.3f}" if part else "-" for part in some)])
    return aligned(["regret at the end", *found], lines)


def stops(records, best, judged=None):
    """Stops, judged by running on: net is the regret and the price of the units spent.

    They are judged by the price of their studies, or by the one that is given.
    """
    lines, by_price = [], collections.defaultdict(list)
    for record in records:
        if "stop" in record and (price := judged or record["price"]):
            by_price[price].append(record)
    for price, some in sorted(by_price.items()):
        nets, befores, right, when = [], [], 0, []
        for record in some:
            curve = regrets(record, best[record["problem"]])
            net = curve + price * GRID
            units = record["stop"][0] if record["stop"] else UNITS
            here = float(regrets(record, best[record["problem"]], units))
            nets.append(here + price * units)
            befores.append(min(net.min(), nets[-1]))
            if record["stop"]:
                when.append(units)
                right += here - curve[-1] <= price * (UNITS - units)
        lines.append([f"{price:g}", f"{len(when)} of {len(some)}",
                      f"{np.median(when):.1f}" if when else "-", f"{np.mean(nets):.3f}",
                      f"{np.mean(befores):.3f}", f"{np.mean(nets) - np.mean(befores):.3f}",
                      f"{right} of {len(when)}"])
    heads = ["price of a unit", "stopped", "median units", "net at the stop",
             "at the best moment", "beyond it", "stop was right"]
    return aligned(heads, lines) if lines else ""
