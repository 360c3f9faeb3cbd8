"""How a decision is measured: two labels on the same problems, with as much doubt as there is.

PROTOCOL.md beside says why. In short: at least three engine seeds; shares over all pairs of runs of
an instance, ties half; families weighed alike, and the problems within one; an interval from a
bootstrap in which problems, instances and runs are drawn again; the share of runs that end worse
than the median of random search; and the most that ties allow. What any rule was chosen on is left
out by name.
"""

import collections
import dataclasses
import json
import math
import pathlib
import sys

import numpy as np

import problems
import screening
import store

#: Fewer engine seeds than this decide nothing: two seeds of one engine were 23:47 on 108 runs.
SEEDS = 3
#: Draws of the bootstrap. Its ends then vary by about a hundredth of the share.
DRAWS = 1000
ENDS = (2.5, 97.5)


def retired(suite, id, seed):
    """Why a run is no evidence any more, or none: rules or defaults were chosen on its instance."""
    if suite == "everyday" and id.startswith("nearest-"):
        return "tables read at the nearest row: the rules for ties were chosen on them"
    if suite == "everyday" and seed <= 6:
        return "instances 1 to 6: the rules for ties were chosen on them"
    if suite in ("bbob", "noisy") and problems.parts(id)[2] <= 5:
        return "instances 1 to 5: defaults were chosen on them"
    if suite in ("high", "mixed") and seed > 100:
        return "instances from 101 on: defaults are chosen on them"
    return None


def had_part(suite, id):
    """Whether a rule was chosen on other instances of a problem."""
    if suite == "everyday":
        return id in problems.module(suite).TUNED
    return suite in ("bbob", "noisy", "high", "mixed")


def family(suite, id):
    """What is weighed alike: groups of BBOB's functions, elsewhere the first part of the name."""
    return problems.group(id) if suite in ("bbob", "noisy") else id.split("-")[0]


def place(suite, id, seed):
    """The problem and the instance of a run.

    A seed is an instance where a suite says so. Elsewhere it is the seed of the engine, and the
    instance is in the name.
    """
    if suite in ("bbob", "noisy"):
        parts = id.split("-")
        return "-".join(part for part in parts if part[0] != "i"), id
    return id, (id, seed) if suite in problems.SEEDED else id


@dataclasses.dataclass
class Instance:
    """The values of all runs of two labels, those of random search, and the best of anybody."""

    a: np.ndarray
    b: np.ndarray
    random: np.ndarray
    best: float

    def pairs(self):
        """What each run of `a` is against each of `b`: 1, 0, or a half for a tie."""
        gaps = self.a[:, None] - self.b[None, :]
        return (gaps < 0) + 0.5 * (gaps == 0)

    def below(self, which):
        """The share of runs that end worse than the median of random search."""
        if not self.random.size:
            return math.nan
        return float(np.mean(getattr(self, which) > np.median(self.random)))

    def ceiling(self):
        """The share of who always ends at the best value: ties with `b` count half."""
        return 1.0 - 0.5 * float(np.mean(self.b <= self.best))


def weighed(families, number):
    """A number of each instance: means over instances, then problems, then families."""
    means = [np.mean([np.mean([number(one) for one in instances]) for instances in found.values()])
             for found in families.values()]
    return float(np.mean(means))


def share(families):
    return weighed(families, lambda one: one.pairs().mean())


def again(items, rng):
    return [items[k] for k in rng.integers(len(items), size=len(items))]


def interval(families, draws=DRAWS, seed=0):
    """95 % of what the share is with other problems of each family, instances and runs."""
    rng = np.random.default_rng(seed)
    pairs = [[[one.pairs() for one in instances] for instances in found.values()]
             for found in families.values()]

    def drawn(table):
        a, b = (rng.integers(n, size=n) for n in table.shape)
        return table[np.ix_(a, b)].mean()

    def total():
        return np.mean([
            np.mean([np.mean([drawn(table) for table in again(instances, rng)])
                     for instances in again(found, rng)])
            for found in pairs
        ])

    return tuple(float(end) for end in np.percentile([total() for _ in range(draws)], ENDS))


def values(records, after):
    """What runs came to, by problem, instance and length: one that ended early is held to none."""
    found = collections.defaultdict(list)
    for suite, id, seed, record in records:
        length = record.get("money", record["evaluations"])
        found[(*place(suite, id, seed), length)].append(screening.at(record, after))
    return found


def of_label(folder, suite, wanted):
    """All runs of a label: `NAME`, its repeats `NAME-r2` and so on, or files that are named."""
    if wanted.endswith(".jsonl"):
        paths = [pathlib.Path(one) for one in wanted.split("+")]
    else:
        base = folder / suite
        paths = [base / f"{wanted}.jsonl", *sorted(base.glob(f"{wanted}-r[0-9]*.jsonl"))]
    return [(suite, id, seed, record) for path in paths if not path.name.endswith("failed.jsonl")
            for (id, seed), record in store.runs(path).items() if record["suite"] == suite]


def kept(records, with_retired, said):
    """The runs that count; `said` counts the others by the reason."""
    found = []
    for suite, id, seed, record in records:
        why = retired(suite, id, seed)
        if why:
            said[f"{suite}, {why}"] += 1
        if not why or with_retired:
            found.append((suite, id, seed, record))
    return found


def everybody(folder, suite, after):
    """The best value that anybody is known to have found, by place."""
    labels = {path.stem for path in folder.glob(f"{suite}/*.jsonl")}
    best = collections.defaultdict(lambda: math.inf)
    for label in labels:
        for where, found in values(of_label(folder, suite, label), after).items():
            best[where] = min(best[where], *found)
    return best


def instances(a, b, random, best):
    """The instances that both have, by family and problem; a place begins with the problem."""
    families = collections.defaultdict(lambda: collections.defaultdict(list))
    for suite in a:
        for where in sorted(a[suite].keys() & b[suite].keys(), key=str):
            mine, theirs = np.array(a[suite][where]), np.array(b[suite][where])
            known = min(best[suite].get(where, math.inf), mine.min(), theirs.min())
            drawn = np.array(random[suite].get(where, []))
            group = f"{suite} {family(suite, where[0])}"
            families[group][where[0]].append(Instance(mine, theirs, drawn, known))
    return families


def fewest(families):
    """The least number of runs of an instance, of each of the two."""
    found = [one for group in families.values() for each in group.values() for one in each]
    return min(len(one.a) for one in found), min(len(one.b) for one in found)


def numbers(families, draws=DRAWS):
    """All that is said of some families."""
    found = [one for group in families.values() for each in group.values() for one in each]
    low, high = interval(families, draws)
    return {
        "families": len(families), "problems": sum(len(group) for group in families.values()),
        "instances": len(found), "runs": [sum(len(one.a) for one in found),
                                          sum(len(one.b) for one in found)],
        "share": share(families), "interval": [low, high],
        "ceiling": weighed(families, Instance.ceiling),
        "below_random": [None if math.isnan(found) else found for found in (
            weighed(families, lambda one, which=which: one.below(which)) for which in "ab")],
    }


def line(name, found):
    low, high = found["interval"]
    below = [" -  " if x is None else f"{x:4.0%}" for x in found["below_random"]]
    runs = ":".join(map(str, found["runs"]))
    return (f"  {name:<28} {found['problems']:>4} {found['instances']:>6} {runs:>10}   "
            f"{found['share']:.3f}  {low:.3f} to {high:.3f}   {found['ceiling']:.3f}    "
            f"{below[0]} {below[1]}")


HEAD = (f"  {'':<28} {'of':>4} {'inst.':>6} {'runs':>10}   share  95 %             ceiling  "
        "worse than random's median: a, b")


def compare(args):
    """Prints, or ends with what is lacking."""
    said, a, b, random, best = collections.Counter(), {}, {}, {}, {}
    for suite in args.suite:
        own = kept(of_label(args.runs, suite, args.a), args.retired, said)
        a[suite] = values(own, args.after)
        b[suite] = values(kept(of_label(args.runs, suite, args.b), args.retired, said), args.after)
        drawn = of_label(args.runs, suite, args.random)
        random[suite] = values(drawn, args.after)
        best[suite] = everybody(args.runs, suite, args.after)
    for why, count in sorted(said.items()):
        word = "RETIRED, and counted all the same" if args.retired else "left out as retired"
        print(f"{word}: {count} runs of {why}", file=sys.stderr)
    families = instances(a, b, random, best)
    if not families:
        sys.exit(f"nothing to report: {args.a} and {args.b} have no instance in common that counts")
    least = fewest(families)
    if min(least) < SEEDS and not args.fewer:
        sys.exit(
            f"{args.a} has {least[0]} and {args.b} {least[1]} engine seeds on some instance, and "
            f"fewer than {SEEDS} decide nothing: play more with `run --repeats 1-{SEEDS}` (suites "
            f"without instances: `--seeds 1-{SEEDS}`), or look at what is there with --fewer"
        )
    new = {name: group for name, group in families.items()
           if not any(had_part(name.split()[0], id) for id in group)}
    parts = {**{name: {name: group} for name, group in sorted(families.items())},
             "all": families, **({"families that had no part": new} if new else {})}
    found = {name: numbers(part) for name, part in parts.items()}
    if args.json:
        print(json.dumps({"a": args.a, "b": args.b, "after": args.after, "seeds": least,
                          "retired": dict(said) if args.retired else {}, "parts": found}))
        return
    provisional = "" if min(least) >= SEEDS else f", PROVISIONAL: fewer than {SEEDS} engine seeds"
    marked = ", WITH RETIRED INSTANCES" if args.retired and said else ""
    print(f"{args.a} against {args.b}: shares over all pairs of runs, ties half; "
          f"{least[0]} and {least[1]} engine seeds at least{provisional}{marked}\n{HEAD}")
    for name, numbers_of in found.items():
        chosen = name in families and name not in new
        print(line(f"{name}{' *' if chosen else ''}", numbers_of))
    if len(new) < len(families):
        print("  * rules or defaults were chosen on other instances of these")
    if not new:
        print("  no family had no part in a choice: say so where this is reported")
