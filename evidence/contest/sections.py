"""What the pages of suites have in common whose seeds stand for instances."""

import math
import statistics

import comparison
import pictures
from report import Detail, number, table

# Seeds from here on are those on which defaults are chosen: no page shows them.
TUNING = 101
# So many lines of ranks stand on a page; more are details.
SHOWN = 4

VERDICTS = """A cell says on how many seeds ours is better, over the evaluations that both runs
have. *Ahead* and *behind* are said where Wilcoxon's signed rank test of the logarithms, paired by
seed, has p < 0.05 after Holm's correction over the problems of a column; in brackets where it has
so only without. Below six common seeds the test cannot say either."""

MEDIANS = """The median best value over all seeds whose runs are so long; * is less than ours on the
seeds that both have."""

RANKS = """Over the problems and seeds that all in the line have played. *Most runs* leaves out who
has less than half as many as another. Mean ranks differ if they are further apart than Nemenyi's
critical difference at 5 %."""

SECONDS = """Medians over runs, one core each: all that an engine took for a run, and the median of
its last suggestions. The machine had other work meanwhile: only orders of magnitude count."""

STOPS = """A trial must save a thousandth of the value in the middle of the box. The run goes on
after its stop, to the end of its budget. The stop was right if what the best gained after it is not
more than the price of the trials that were made for it. Medians of the runs that stopped."""


def contestants(suite, us):
    """The runs that count by label: ours, and those of the others by name."""
    counting = {label: {key: record for key, record in records.items() if key[1] < TUNING}
                for label, records in suite.items()}
    peers = [label for label, records in counting.items() if records and label != us
             and not next(iter(records.values()))["engine"].startswith("gittins")]
    return {label: counting.get(label, {}) for label in [us, *sorted(peers)]}


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


def present(found, ids):
    """Those of the problems that anyone has played."""
    played = {id for records in found.values() for id, _ in records}
    return [id for id in ids if id in played]


def counts(found, ids):
    """Seeds and evaluations of each engine on each problem."""
    lines = []
    for id in ids:
        line = [id]
        for records in found.values():
            budgets = [record["evaluations"] for record in pick(records, id).values()]
            line.append(", ".join(f"{budgets.count(n)} x {n}" for n in sorted(set(budgets))) or "-")
        lines.append(line)
    return table(["seeds x evaluations", *found], lines)


def medians(found, us, evaluations, ids, middle=True):
    """Medians after so many evaluations, marked where a peer's is smaller than ours.

    Before them, if wanted, is the value in the middle of the box.
    """
    lines = []
    for id in ids:
        values = {label: comparison.reached(pick(records, id), evaluations)
                  for label, records in found.items()}
        if not any(values.values()):
            continue
        line = [id]
        if middle:
            probes = {key: record["probe"] for records in found.values()
                      for key, record in pick(records, id).items()}
            line.append(number(statistics.median(probes.values())))
        for label, theirs in values.items():
            common = theirs.keys() & values[us].keys()
            better = label != us and common and (
                statistics.median(theirs[key] for key in common)
                < statistics.median(values[us][key] for key in common)
            )
            value = statistics.median(theirs.values()) if theirs else math.nan
            line.append(("* " if better else "") + number(value))
        lines.append(line)
    heads = [f"after {evaluations}", *(["middle"] if middle else []), *found]
    return table(heads, lines)


def verdicts(found, us, ids):
    """Seeds on which ours is better than each peer, with what the test says."""
    columns = {}
    for peer in found:
        if peer == us:
            continue
        pairs = {id: shared(pick(found[us], id), pick(found[peer], id)) for id in ids}
        words = tested(pairs)
        for id, (ours, theirs) in pairs.items():
            share, count = comparison.wins(ours, theirs)
            text = f"{share * count:g} of {count}{words[id]}" if count else "-"
            columns[id, peer] = text
    peers = [label for label in found if label != us]
    lines = [[id, *(columns[id, peer] for peer in peers)] for id in ids]
    lines = [line for line in lines if set(line[1:]) != {"-"}]
    return table(["ours better", *peers], lines)


def opening(found, us, ids):
    """The sections that come first: how many runs, who is ahead, and what the medians are."""
    return [Detail("## Runs"), Detail(counts(found, ids)), "## Against each peer", VERDICTS,
            verdicts(found, us, ids), "## Medians", MEDIANS]


def ranking(found, path, us, groups):
    """Mean ranks of all engines and of those with most runs.

    A group has a name, its problems, and after how many evaluations they are looked at.
    """
    judged, labels = {}, list(found)
    for name, (ids, n) in groups.items():
        values = {label: {key: v for key, v in comparison.reached(records, n).items()
                          if key[0] in ids} for label, records in found.items()}
        values = {label: v for label, v in values.items() if v}
        most = max(map(len, values.values()), default=0)
        often = {label: v for label, v in values.items() if len(v) >= most / 2}
        for title, part in ((name, values), (f"{name}, most runs", often)):
            if us in part and (part is values or len(part) < len(values)):
                if result := comparison.ranks(part):
                    judged[title] = result
    if not judged:
        return []
    pictures.critical(judged, us, path, "runs")
    lines = [
        [name, *(f"{mean[label]:.2f}" if label in mean else "-" for label in labels),
         f"{distance:.2f}", count, f"{p:.1g}"]
        for name, (mean, p, distance, count) in judged.items()
    ]
    heads = ["mean rank", *labels, "critical difference", "runs", "Friedman p"]
    picture = f"![Mean ranks](pictures/{path.name})"
    if len(lines) <= SHOWN:
        return [table(heads, lines), picture]
    return [table(heads, lines[:SHOWN]), picture, Detail("## Ranks"), Detail(table(heads, lines))]


def seconds(found, groups):
    """What the engines took, by groups of problems."""
    lines = []
    for title, ids in groups.items():
        runs = {label: [record for (id, _), record in records.items() if id in ids]
                for label, records in found.items()}
        # A run that was cut short says nothing of a whole one: the number of evaluations is given.
        for name, value in (("evaluations", lambda r: r["evaluations"]),
                            ("seconds a run", lambda r: r["seconds"]),
                            ("last quarter", lambda r: r["late"])):
            middle = [statistics.median(map(value, part)) if part else math.nan
                      for part in runs.values()]
            cells = ["-" if math.isnan(v) else f"{v:.0f}" if v >= 100 else f"{v:.3g}"
                     for v in middle]
            lines.append([f"{title}, {name}", *cells])
    return table(["", *found], lines)


def stops(records, ids):
    """Each stop judged by the rest of its run: what was gained, and the price of the trials."""
    lines = []
    for id in present({"": records}, ids):
        runs = pick(records, id).values()
        judged = [stop for record in runs if (stop := comparison.stopped(record))]
        middle = [statistics.median(stop[name] for stop in judged) if judged else math.nan
                  for name in ("trials", "value", "gain", "price")]
        right = sum(stop["gain"] <= stop["price"] for stop in judged)
        lines.append([id, f"{len(judged)} of {len(runs)}", *map(number, middle),
                      f"{right} of {len(judged)}"])
    heads = ["", "stopped", "trials", "value then", "gained after", "its price", "stop was right"]
    return table(heads, lines)
