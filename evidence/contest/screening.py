"""Wins and losses of one label against others, as text: a quick look at what a change is worth."""

import collections
import math

import comparison
import problems

# Marks are shares of the evaluations, or of the money where trials have costs.
HALF, END = ("half", 0.5), ("end", 1.0)
TENTH = ("tenth", 0.1)


def dimension(suite, id):
    """What a suite is split by: its dimension, where it has more than one."""
    if suite in ("bbob", "noisy"):
        return f"{suite} d={problems.parts(id)[1]}"
    if suite in ("mixint", "high"):
        return f"{suite} d={problems.module(suite).parts(id)[1]}"
    return suite


def name(suite, id):
    """The problem without its instance, which the suites of BBOB functions have in the name."""
    return "-".join(part for part in id.split("-") if suite != "bbob" or part[:1] != "i")


def at(record, share, field=None):
    """What a run is judged by after a share of its evaluations, or of its money."""
    field = field or ("recommended" if "recommended" in record else None)
    if field:
        marks = [value for n, value in record[field] if n <= share * record["evaluations"]]
        value = marks[-1] if marks else math.inf
    elif "money" in record:
        value = comparison.best(record, comparison.afforded(record, share * record["money"]))
    else:
        value = comparison.best(record, math.floor(share * record["evaluations"]))
    return max(value, comparison.SMALLEST)


def compared(pairs):
    """Wins, losses and ties of pairs of values, the first ours."""
    wins = sum(a < b for a, b in pairs)
    losses = sum(a > b for a, b in pairs)
    return wins, losses, len(pairs) - wins - losses


def words(counts):
    wins, losses, ties = counts
    decided = wins + losses
    share = f"{wins / decided:6.1%}" if decided else "     -"
    return f"{wins:>4}:{losses:<4} ={ties:<4} {share}  p {comparison.sign_test(wins, losses):<8.2g}"


def common(ours, theirs):
    """Pairs of runs of the same problem and seed that are equally long, or have the same money."""
    for key in sorted(ours.keys() & theirs.keys()):
        a, b = ours[key], theirs[key]
        same = a["money"] == b["money"] if "money" in a else a["evaluations"] == b["evaluations"]
        if same:
            yield key, a, b


def against(suite, ours, theirs, by_problem):
    """Lines of one suite and one peer."""
    groups = collections.defaultdict(list)
    for (id, _), a, b in common(ours, theirs):
        groups[dimension(suite, id)].append((name(suite, id), a, b))
    for group, found in sorted(groups.items()):
        marks = [TENTH, HALF, END] if "money" in found[0][1] else [HALF, END]
        yield f"  {group}: {len(found)} runs"
        for mark, share in marks:
            counts = compared([(at(a, share), at(b, share)) for _, a, b in found])
            yield f"    {mark:<6} {words(counts)}"
        if by_problem:
            for id in sorted({id for id, _, _ in found}):
                cells = []
                for mark, share in marks:
                    wins, losses, ties = compared(
                        [(at(a, share), at(b, share)) for one, a, b in found if one == id]
                    )
                    cells.append(f"{mark} {wins:>2}:{losses:<2} ={ties:<2}")
                yield f"      {id:<32} {'  '.join(cells)}"


def lucky(suite, label, records):
    """Lines that hold what was recommended against the trial with the best noisy outcome."""
    groups = collections.defaultdict(list)
    for (id, _), record in sorted(records.items()):
        if "lucky" in record:
            groups[dimension(suite, id)].append(record)
    for group, found in sorted(groups.items()):
        for mark, share in (HALF, END):
            counts = compared([(at(r, share), at(r, share, "lucky")) for r in found])
            yield f"  {group} {label:<14} {mark:<6} {words(counts)}"


def table(args):
    runs, _ = comparison.load(args.runs)
    for suite, labels in sorted(runs.items()):
        if args.suite and suite not in args.suite:
            continue
        if args.us not in labels:
            print(f"{suite}: no runs of {args.us}")
            continue
        for peer in args.against:
            if peer not in labels:
                print(f"{suite}: no runs of {peer}")
                continue
            print(f"{suite}: {args.us} against {peer}, wins:losses =ties, share of wins, sign test")
            lines = list(against(suite, labels[args.us], labels[peer], args.by_problem))
            print("\n".join(lines or ["  no runs in common"]))
        lines = [line for label in (args.us, *args.against) if label in labels
                 for line in lucky(suite, label, labels[label])]
        if lines:
            print(f"{suite}: recommended against the trial with the best noisy outcome")
            print("\n".join(lines))
