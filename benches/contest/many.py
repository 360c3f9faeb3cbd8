"""The page of the suite `high`: tables of what the runs say after so many evaluations."""

import math
import statistics

import comparison
import high
import pictures
from report import number, origins, table

MARKS = (200, 300, 1000)
# The peer that our first trials are held against, and after how many.
FIRST, EARLY = "cma-es", (5, 10, 25, 50, 100, 200)

INTRODUCTION = """# Many parameters

This library and others minimize the same functions of 60 to 1000 parameters. `benches/contest` runs
it; [how](../benches/README.md#the-contest) says what to install and what to type. Smaller is
better. A seed stands for an instance of each problem, the same for all who play it: where an
optimum is known, it lies at a place drawn from the seed, else data or obstacles are drawn.

- `rover-60`: the way of a rover through a forest (Wang et al. 2018), its cost, which is 5 less the
  published reward; the forest of each seed is another
- `lasso`: LassoBench's synthetic data (Sehic et al. 2022) with 3, 15 and 50 true features; the loss
  of a cross-validation over that of the true coefficients; data are drawn, and each penalty's range
- `hartmann6`, `branin`: 6 and 2 of the parameters count; which ones and their directions are drawn
- `ackley`, `levy`, `rosenbrock`: the optimum is uniform in the box

Lasso and rover have no known optimum and are judged by the value itself, all others by the distance
from the optimum. *Middle* is the value in the middle of the box, which is our first trial, and
around which `cma-es` begins. On `ackley`, `levy`, `rosenbrock` and the larger `lasso` it is better
than nearly all random points: the middle is nearer to a random optimum than a random point is. What
is gained over it is what was learned.

Everyone has the defaults of its documentation. `cma-es` is the package `cmaes` with a sixth of the
box as first deviation. `turbo` is TuRBO-1 as in BoTorch's tutorial, in batches of four; its design
of 2 d points is at most half of the budget. `botorch-around` is `SingleTaskGP` with
`LogExpectedImprovement` and `sample_around_best`; `msr` has a Matern 5/2 kernel without prior, fit
from length scales of sqrt(d) / 10 on, and starts 0.001 around the best trials; both have a design
of 2 (d + 1) points, at most a fifth of the budget. `tpe` is Optuna's. Budgets are 1000 evaluations,
and 300 with 1000 parameters; some peers have fewer, because a run of theirs would take hours."""

VERDICTS = """A cell says on how many seeds ours is better, over the evaluations that both runs
have. *Ahead* and *behind* are said where Wilcoxon's signed rank test of the logarithms, paired by
seed, has p < 0.05 after Holm's correction over the problems of a column; in brackets where it has
so only without. Below six common seeds the test cannot say either."""

MEDIANS = """The median best value over all seeds whose runs are so long; * is less than ours on the
seeds that both have."""

EARLIER = """Our median over that of `{peer}` after so many evaluations, over the seeds that both
have; below 1 ours is better. *Ahead* and *behind* as above."""

RANKS = """Over the problems and seeds that all in the line have played. *Most runs* leaves out who
has less than half as many as another. Mean ranks differ if they are further apart than Nemenyi's
critical difference at 5 %."""

STOPS = """A trial must save a thousandth of the value in the middle of the box. The run goes on
after its stop, to the end of its budget. The stop was right if what the best gained after it is not
more than the price of the trials that were made for it. Medians of the runs that stopped."""

SECONDS = """Medians over runs, one core each: all that an engine took for a run, and the median of
its last suggestions. `turbo` and `cma-es` think once for several trials, so that the median of
theirs is that of taking one that waits. The machine had other work meanwhile: only orders of
magnitude count."""


def pick(records, id):
    return {key: record for key, record in records.items() if key[0] == id}


def shared(ours, theirs):
    """The best values of two runs of each common seed, at the evaluations that both have."""
    mine, other = {}, {}
    for key in ours.keys() & theirs.keys():
        n = min(ours[key]["evaluations"], theirs[key]["evaluations"])
        mine[key] = max(comparison.best(ours[key], n), comparison.SMALLEST)
        other[key] = max(comparison.best(theirs[key], n), comparison.SMALLEST)
    return mine, other


def word(p, corrected, gap):
    """Who is ahead, in brackets where only the uncorrected test says so."""
    if not p < 0.05:
        return ""
    text = "ahead" if gap < 0 else "BEHIND"
    return f" {text}" if corrected < 0.05 else f" ({text})"


def tested(pairs):
    """Words by key for pairs of values by seed, corrected over all that are given."""
    results = {key: comparison.signed_rank(*pair) for key, pair in pairs.items()}
    corrected = comparison.holm({key: p for key, (p, _) in results.items()})
    return {key: word(p, corrected[key], gap) for key, (p, gap) in results.items()}


def present(found):
    ids = {id for records in found.values() for id, _ in records}
    return [id for id in high.PROBLEMS if id in ids]


def counts(found):
    """Seeds and evaluations of each engine on each problem."""
    lines = []
    for id in present(found):
        line = [id]
        for records in found.values():
            budgets = [record["evaluations"] for record in pick(records, id).values()]
            line.append(", ".join(f"{budgets.count(n)} x {n}" for n in sorted(set(budgets))) or "-")
        lines.append(line)
    return table(["seeds x evaluations", *found], lines)


def medians(found, us, evaluations):
    """Medians after so many evaluations, marked where a peer's is smaller than ours."""
    lines = []
    for id in present(found):
        values = {label: comparison.reached(pick(records, id), evaluations)
                  for label, records in found.items()}
        if not any(values.values()):
            continue
        probes = {key: record["probe"] for records in found.values()
                  for key, record in pick(records, id).items()}
        line = [id, number(statistics.median(probes.values()))]
        for label, theirs in values.items():
            common = theirs.keys() & values[us].keys()
            better = label != us and common and (
                statistics.median(theirs[key] for key in common)
                < statistics.median(values[us][key] for key in common)
            )
            middle = statistics.median(theirs.values()) if theirs else math.nan
            line.append(("* " if better else "") + number(middle))
        lines.append(line)
    return table([f"after {evaluations}", "middle", *found], lines)


def verdicts(found, us):
    """Seeds on which ours is better than each peer, with what the test says."""
    columns = {}
    for peer in found:
        if peer == us:
            continue
        pairs = {id: shared(pick(found[us], id), pick(found[peer], id)) for id in present(found)}
        words = tested(pairs)
        for id, (ours, theirs) in pairs.items():
            share, count = comparison.wins(ours, theirs)
            text = f"{share * count:g} of {count}{words[id]}" if count else "-"
            columns[id, peer] = text
    peers = [label for label in found if label != us]
    lines = [[id, *(columns[id, peer] for peer in peers)] for id in present(found)]
    return table(["ours better", *peers], lines)


def early(found, us):
    """Our first trials against those of the peer that is quick to improve."""
    pairs, words = {}, {}
    for n in EARLY:
        for id in present(found):
            ours, theirs = (comparison.reached(pick(found[label], id), n) for label in (us, FIRST))
            common = ours.keys() & theirs.keys()
            if common:
                pairs[id, n] = [{key: v[key] for key in common} for v in (ours, theirs)]
        words |= tested({key: pair for key, pair in pairs.items() if key[1] == n})
    lines = []
    for id in present(found):
        line = [id]
        for n in EARLY:
            if (id, n) in pairs:
                ours, theirs = (statistics.median(v.values()) for v in pairs[id, n])
                line.append(number(ours / theirs) + words[id, n])
            else:
                line.append("-")
        lines.append(line)
    return table([f"ours / {FIRST}", *(f"after {n}" for n in EARLY)], lines)


def ranking(found, path, us):
    """Mean ranks after so many evaluations: of all engines, and of those with most runs."""
    judged, labels = {}, list(found)
    for n in MARKS:
        values = {label: comparison.reached(records, n) for label, records in found.items()}
        values = {label: v for label, v in values.items() if v}
        most = max(map(len, values.values()), default=0)
        often = {label: v for label, v in values.items() if len(v) >= most / 2}
        for name, part in ((f"after {n}", values), (f"after {n}, most runs", often)):
            if us in part and (part is values or len(part) < len(values)):
                if result := comparison.ranks(part):
                    judged[name] = result
    if not judged:
        return []
    pictures.critical(judged, us, path, "runs")
    lines = [
        [name, *(f"{mean[label]:.2f}" if label in mean else "-" for label in labels),
         f"{distance:.2f}", count, f"{p:.1g}"]
        for name, (mean, p, distance, count) in judged.items()
    ]
    heads = ["mean rank", *labels, "critical difference", "runs", "Friedman p"]
    return [table(heads, lines), f"![Mean ranks](pictures/{path.name})"]


def seconds(found):
    lines = []
    for dim in sorted({high.parts(id)[1] for id in present(found)}):
        runs = {label: [record for (id, _), record in records.items() if high.parts(id)[1] == dim]
                for label, records in found.items()}
        # A run that was cut short says nothing of a whole one: the number of evaluations is given.
        for name, value in (("evaluations", lambda r: r["evaluations"]),
                            ("seconds a run", lambda r: r["seconds"]),
                            ("last quarter", lambda r: r["late"])):
            middle = [statistics.median(map(value, part)) if part else math.nan
                      for part in runs.values()]
            cells = ["-" if math.isnan(v) else f"{v:.0f}" if v >= 100 else f"{v:.3g}"
                     for v in middle]
            lines.append([f"d = {dim}, {name}", *cells])
    return table(["", *found], lines)


def stops(records):
    """Each stop judged by the rest of its run: what was gained, and the price of the trials."""
    lines = []
    for id in present({"": records}):
        runs = pick(records, id).values()
        judged = [stop for record in runs if (stop := comparison.stopped(record))]
        middle = [statistics.median(stop[name] for stop in judged) if judged else math.nan
                  for name in ("trials", "value", "gain", "price")]
        right = sum(stop["gain"] <= stop["price"] for stop in judged)
        lines.append([id, f"{len(judged)} of {len(runs)}", *map(number, middle),
                      f"{right} of {len(judged)}"])
    heads = ["", "stopped", "trials", "value then", "gained after", "its price", "stop was right"]
    return table(heads, lines)


def write(args):
    runs, failed = comparison.load(args.runs)
    found = {label: records for label, records in runs["high"].items() if records}
    if args.us not in found:
        return
    peers = [label for label, records in found.items()
             if not next(iter(records.values()))["engine"].startswith("gittins")]
    labels = [args.us, *sorted(peers)]
    found = {label: found[label] for label in labels}
    folder = args.out.parent / "pictures"
    small = [id for id in high.PROBLEMS if high.parts(id)[1] <= 100]
    large = [id for id in high.PROBLEMS if id not in small]
    parts = [INTRODUCTION, "## Runs", counts(found), "## Against each peer", VERDICTS,
             verdicts(found, args.us), "## Medians", MEDIANS]
    parts += [medians(found, args.us, n) for n in MARKS]
    if FIRST in found:
        parts += ["## The first evaluations", EARLIER.format(peer=FIRST), early(found, args.us)]
    parts += ["## Ranks", RANKS]
    parts += ranking(found, folder / "contest-high-ranks.svg", args.us)
    parts.append("## Curves")
    for ids, title, name in ((small, "60 and 100 parameters", "small"),
                             (large, "300 and 1000 parameters", "large")):
        path = folder / f"contest-high-{name}.svg"
        pictures.progress(found, ids, args.us, path)
        parts.append(f"![Best value against evaluations, {title}](pictures/{path.name})")
    if records := runs["high"].get(f"{args.us}-stop"):
        parts += ["## Stops, judged by running on", STOPS, stops(records)]
    parts += ["## Seconds", SECONDS, seconds(found)]
    parts += origins({"high": runs["high"]}, labels,
                     [record for record in failed if record["suite"] == "high"])
    page = args.out.with_name("high.md")
    page.write_text("\n\n".join(parts) + "\n")
    print(page)
