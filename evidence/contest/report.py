"""The page: tables of what the runs say, and its pictures.

What tells problems one by one is on a page of the same name in the folder `results`.
"""

import math
import statistics
import textwrap

import comparison
import pictures
import problems

INTRODUCTION = """# The contest

This library and others minimize the same functions with the same budget. `evidence/contest` runs
it; [how](../evidence/contest/README.md) says what to install and what to type. Smaller is
better. A *win* is a smaller value at the end of the budget than the peer's on the same problem;
equal values, and all below 1e-8, count half. *Ahead* and *behind* are said where Wilcoxon's signed
rank test of the logarithms has p < 0.05. The tests of a table are corrected by Holm's procedure:
its first line by itself, the groups together. Mean ranks differ if they are further apart than
Nemenyi's critical difference at 5 %; they are of the problems that all have played.

Everyone has the defaults of its documentation, and on BBOB a budget of 10 d evaluations. `gp`,
`tpe` and `cma` are Optuna's samplers. `botorch` is `SingleTaskGP` with `LogExpectedImprovement`,
set up as in its tutorials. The default of this library was tuned on instances 1 to 5 in 2, 5, 10 and
20 dimensions; what is shown are other instances. The first trial of ours is the middle of the space,
and `cma` begins around it. On f19 the middle happens to be nearly the best point.
[Each function](../evidence/contest/results/contest.md) has more. Runs in stages, budgets and other
suites are in [results](results.md)."""


STARS = "A star: the peer's median is less than ours, over the runs that both have."


class Detail(str):
    """A part of a page that stands on the page of the same name in the folder of results."""


def publish(args, name, parts):
    """Write a page, and beside this file what of it few look at."""
    page = args.out.with_name(name) if name else args.out
    details = [part for part in parts if isinstance(part, Detail)]
    page.write_text("\n\n".join(part for part in parts if not isinstance(part, Detail)) + "\n")
    print(f"{page}, pictures in {page.parent / 'pictures'}")
    if details:
        args.details.mkdir(exist_ok=True)
        title = next(part for part in parts if part.startswith("# ")).splitlines()[0]
        link = f"The page is [{page.name}](../../../docs/{page.name})."
        text = "\n\n".join([f"{title}: problem by problem", link, *details])
        (args.details / page.name).write_text(text + "\n")


def table(heads, lines):
    """A table whose source is aligned too: names on the left, numbers on the right."""
    widths = [max(len(str(line[k])) for line in [heads, *lines]) for k in range(len(heads))]

    def row(cells):
        first = str(cells[0]).ljust(widths[0])
        rest = [str(cell).rjust(width) for cell, width in zip(cells[1:], widths[1:])]
        return "| " + " | ".join([first, *rest]) + " |"

    rule = "| " + " | ".join(["-" * widths[0]] + ["-" * (w - 1) + ":" for w in widths[1:]]) + " |"
    return "\n".join([row(heads), rule, *map(row, lines)])


def realigned(lines):
    """The table of some lines of another one."""
    heads, _, *rest = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return table(heads, rest)


def number(value):
    return "-" if math.isnan(value) else f"{value:.3g}"


def percent(share):
    return "-" if math.isnan(share) else f"{100 * share:.0f} %"


def of(found, keep):
    """The final values of each label on the problems to be kept."""
    return {
        label: {key: v for key, v in comparison.finals(records).items() if keep(key[0])}
        for label, records in found.items()
    }


def verdicts(found, us, groups):
    """Wins against each peer in each group, and whether the difference is significant."""
    peers = [label for label in found if label != us]
    share, gap, p = {}, {}, {}
    for name, keep in groups.items():
        values = of(found, keep)
        for peer in peers:
            share[name, peer], _ = comparison.wins(values[us], values[peer])
            p[name, peer], gap[name, peer] = comparison.signed_rank(values[us], values[peer])
    # The first line is of all problems: a question of its own.
    first = next(iter(groups))
    tested = comparison.holm({k: v for k, v in p.items() if k[0] == first})
    tested |= comparison.holm({k: v for k, v in p.items() if k[0] != first})

    def cell(key):
        text = percent(share[key])
        if tested[key] < 0.05:
            text += " ahead" if gap[key] < 0 else " BEHIND"
        return text

    lines = [[name, *(cell((name, peer)) for peer in peers)] for name in groups]
    return table(["wins against", *peers], lines)


def ranking(found, us, groups, path):
    """Mean ranks of each group with their critical difference, as a table and a picture."""
    judged = {name: comparison.ranks(of(found, keep)) for name, keep in groups.items()}
    judged = {name: result for name, result in judged.items() if result}
    if not judged:
        return []
    pictures.critical(judged, us, path)
    heads = ["mean rank", *found, "critical difference", "problems", "Friedman p"]
    lines = [
        [name, *(f"{mean[label]:.2f}" for label in found), f"{distance:.2f}", count, f"{p:.1g}"]
        for name, (mean, p, distance, count) in judged.items()
    ]
    # The first line is of all problems. The picture has the groups too.
    shown = table(heads, lines[:1]) + f"\n\n![Mean ranks](pictures/{path.name})"
    return [shown, Detail(table(heads, lines))]


def medians(found, us, name):
    """Medians by name of the problem, and in words where a peer's is smaller than ours."""
    lines, lost = [], {}
    for one in sorted({name(id) for id, _ in found[us]}):
        values = of(found, lambda id: name(id) == one)
        line = [one]
        for label, theirs in values.items():
            # Compared are medians over the runs that both have.
            common = [key for key in theirs if key in values[us]]
            behind = common and label != us and (
                statistics.median(theirs[key] for key in common)
                < statistics.median(values[us][key] for key in common)
            )
            if behind:
                lost.setdefault(label, []).append(one)
            middle = statistics.median(theirs.values()) if theirs else math.nan
            line.append(("* " if behind else "") + number(middle))
        lines.append(line)
    text = "Our median is larger " + "; ".join(
        f"than that of `{peer}` on {', '.join(where)}" for peer, where in lost.items()
    ) + " (* in the medians, over the runs that both have)."
    text = text if lost else "No peer has a smaller median on any of them."
    return textwrap.fill(text, 100, break_on_hyphens=False), table(["median", *found], lines)


def counts(found):
    return table(["", *found], [["runs", *(len(records) for records in found.values())]])


def functions(title, found, us, folder, suite):
    """A section on BBOB functions of one dimension."""
    groups = {"all": lambda id: True}
    if suite.startswith("noisy"):
        for level in problems.LEVELS:
            groups[f"noise {level}"] = lambda id, level=level: id.endswith(f"-n{level}")
    else:
        for name, members in problems.GROUPS.items():
            groups[name] = lambda id, members=members: problems.parts(id)[0] in members
    lost, middle = medians(found, us, lambda id: "-".join([id[:3], *id.split("-")[3:]]))
    wins = verdicts(found, us, groups)
    # As with the ranks, the page has all problems, and the details have the groups.
    shown = realigned(wins.splitlines()[:3])
    parts = [f"## {title}", counts(found), shown, lost, Detail(f"## {title}"), Detail(wins)]
    parts += ranking(found, us, groups, folder / f"contest-ranks-{suite}.svg")
    if not suite.startswith("noisy"):
        path = folder / f"contest-profiles-{suite}.svg"
        pictures.profiles(found, us, path)
        parts.append("Share of COCO's 51 targets (100 to 1e-8) reached:\n\n"
                     f"![Data profiles](pictures/{path.name})")
    return [*parts, Detail(STARS), Detail(middle)]


def early(found, us):
    """Wins over all problems when only a part of the money is spent."""
    peers = [label for label in found if label != us]
    lines = []
    for share, name in ((0.25, "a quarter of the money"), (0.5, "half of the money")):
        values = {label: comparison.finals(found[label], share) for label in found}
        lines.append([name, *(percent(comparison.wins(values[us], values[peer])[0])
                              for peer in peers)])
    return table(["wins after", *peers], lines)


def costs(title, found, us, folder, suite):
    """A section on problems whose trials have costs."""
    ids = {id: (lambda other, id=id: other == id) for id in sorted({k[0] for k in found[us]})}
    groups = {"all": lambda id: True} | ids
    lost, middle = medians(found, us, lambda id: id)
    path = folder / f"contest-money-{suite}.svg"
    pictures.spending(found, us, path)
    wins = verdicts(found, us, groups)
    parts = [f"## {title}", counts(found), realigned(wins.splitlines()[:3])]
    parts += [early(found, us), lost, middle, Detail(f"## {title}"), Detail(wins)]
    return [*parts, f"![Best value against money](pictures/{path.name})"]


def stops(suite, records):
    """Each stop judged by the rest of its run."""
    lines = []
    for id in sorted({key[0] for key in records}):
        runs = [record for key, record in records.items() if key[0] == id]
        judged = [stop for stop in map(comparison.stopped, runs) if stop]
        median = {
            key: statistics.median(stop[key] for stop in judged) if judged else math.nan
            for key in ("trials", "spent", "gain", "price", "beyond")
        }
        right = sum(stop["gain"] <= stop["price"] for stop in judged)
        lines.append([id, f"{len(judged)} of {len(runs)}", number(median["trials"]),
                      number(median["spent"]), number(runs[0]["money"]), number(median["gain"]),
                      number(median["price"]), f"{right} of {len(judged)}",
                      number(median["beyond"])])
    heads = ["", "stopped", "trials", "money", "of", "gained after", "its price", "stop was right",
             "beyond hindsight"]
    price = next(iter(records.values()))["price"]
    text = (
        f"A second must save {price:g} of loss. The run goes on after its stop. The stop was right "
        "if what the best gained after it is not more than the price of what was paid for it. "
        "*Beyond hindsight* is how much more the loss with the price of all money is at the stop "
        "than it was at the best moment. Medians of the runs that stopped before the money was "
        "spent."
    )
    title = f"## Stops, judged by running on: {suite}"
    return [title, textwrap.fill(text, 100), table(heads, lines)]


def speeds(runs, labels):
    """Seconds of a suggestion with its tell: the mean of a run, and the median of its last part."""
    lines = []
    for suite, title in (("bbob", "d = {}"), ("models", "models")):
        kinds = {}
        for label in labels:
            for (id, _), record in runs[suite][label].items():
                kind = title.format(problems.parts(id)[1] if suite == "bbob" else "")
                kinds.setdefault(kind, {}).setdefault(label, []).append(record)
        for kind, found in kinds.items():
            for what, value in (("mean", lambda r: r["seconds"] / r["evaluations"]),
                                ("last quarter", lambda r: r["late"])):
                lines.append([f"{kind}, {what}"] + [
                    f"{statistics.median(map(value, found[label])):.4f}" if label in found else "-"
                    for label in labels
                ])
    return ["## Seconds a suggestion", "Medians over runs, one core each.",
            table(["", *labels], lines)]


def span(found):
    first, last = min(found), max(found)
    return f"{first}" if first == last else f"{first} to {last}"


def origins(runs, labels, failed):
    """Versions, seeds, dates, and what failed."""
    lines, dates = [], set()
    for label in labels:
        versions, seeds = set(), set()
        for suite in runs.values():
            for (_, seed), record in suite[label].items():
                versions |= {f"{k} {v}" for k, v in record["versions"].items()}
                seeds.add(seed)
                dates.add(record["date"])
        lines.append(f"- `{label}`: {', '.join(sorted(versions))}; seeds {span(seeds)}")
    parts = [Detail("## Versions"), Detail("\n".join(lines)), "## Dates"]
    said = f"{span(dates)}. Versions and seeds stand problem by problem. "
    return [*parts, said + ("No run failed." if not failed else "Runs that failed:\n\n" + "\n".join(
        f"- `{r['label']}`, {r['suite']} {r['problem']}, seed {r['seed']}: {r['why']}"
        for r in failed))]


def sections(runs, labels, us):
    """Suites with what was run of them: a title, a name for files, and the runs by label."""
    for suite in ("bbob", "noisy"):
        for dim in sorted({problems.parts(key[0])[1] for key in runs[suite][us]}):
            for tuning in (False, True):
                found = {
                    label: {key: record for key, record in runs[suite][label].items()
                            if problems.parts(key[0])[1] == dim
                            and (problems.parts(key[0])[2] <= 5) == tuning}
                    for label in labels
                }
                title = f"{'BBOB' if suite == 'bbob' else 'Noise'}, d = {dim}, instances "
                title += "1 to 5, on which the defaults were chosen" if tuning else "6 to 10"
                yield title, f"{suite}-d{dim:02}" + ("-tuning" if tuning else ""), found
    for suite, title in (("models", "Real models"), ("tables", "Published tables")):
        yield title + ", at equal money", suite, {label: runs[suite][label] for label in labels}


def write(args):
    runs, failed = comparison.load(args.runs)
    # Some suites have pages of their own.
    for suite in problems.SEEDED:
        runs.pop(suite, None)
    failed = [record for record in failed if record["suite"] not in problems.SEEDED]
    if not runs:
        return
    engines = {label: next(iter(records.values()))["engine"]
               for suite in runs.values() for label, records in suite.items() if records}
    peers = sorted(label for label, engine in engines.items() if not engine.startswith("gittins"))
    labels = [args.us, *peers]
    folder = args.out.parent / "pictures"
    summary, parts = [], []
    for title, name, found in sections(runs, labels, args.us):
        found = {label: records for label, records in found.items() if records}
        if len(found) < 2 or args.us not in found:
            continue
        section = costs if name in ("models", "tables") else functions
        parts += section(title, found, args.us, folder, name)
        values = of(found, lambda id: True)
        shares = [comparison.wins(values[args.us], values.get(peer, {})) for peer in peers]
        summary.append([title, *(percent(s) + (f" of {n}" if n else "") for s, n in shares)])
    for suite in ("models", "tables"):
        if records := runs[suite][f"{args.us}-stop"]:
            parts += stops(suite, records)
    parts = [INTRODUCTION, table(["wins against", *peers], summary), *parts]
    parts += speeds(runs, labels) + origins(runs, labels, failed)
    publish(args, None, parts)
