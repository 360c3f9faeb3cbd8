"""What came of the studies, as tables: one label beside the other."""

import collections
import math

import numpy as np

# Of 2 deviations 95 % should be inside. Fewer than this is a miss.
WANTED = 0.85
# With fewer outcomes nothing is said.
FEWEST = 20

GROUPS = ("first round", "each report", "end", "winner")


def items_of(records):
    """What is counted of studies by items."""
    rows = [row for record in records for row in record["rows"]]
    off = {group: np.array([row[1] for row in rows if row[0] == group]) for group in GROUPS}
    means = [[row[3] for row in record["rows"]] for record in records]
    outside = [any(not 0.0 <= mean <= 1.0 for mean in found) for found in means]
    regret = float(np.mean([record["regret"] for record in records]))
    spent = float(np.mean([record["spent"] for record in records]))
    return {
        "studies": len(records),
        "winner_over_2": share(off["winner"] > 2), "winner_off_3": share(abs(off["winner"]) > 3),
        "first_off_3": share(abs(off["first round"]) > 3),
        "first_off_2": share(abs(off["first round"]) > 2),
        "report_off_2": share(abs(off["each report"]) > 2),
        "end_off_2": share(abs(off["end"]) > 2),
        "outside": share(np.array(outside)), "regret": regret, "spent": spent,
        "sum": regret + spent,
        # Of the sum, by which two labels on other studies may differ.
        "error": float(np.std([r["regret"] + r["spent"] for r in records]) / len(records) ** 0.5),
    }


def share(found):
    return float(np.mean(found)) if len(found) else math.nan


def grouped(records, key):
    found = collections.defaultdict(list)
    for record in records:
        found[key(record)].append(record)
    return found


def by_problem(records):
    """The records of each problem, and of all that are no measured ones."""
    groups = dict(sorted(grouped(records, lambda r: r["problem"]).items()))
    made = [record for name, of in groups.items() if "measured" not in name for record in of]
    return groups | ({"all made": made} if made else {})


def table(heads, rows):
    """A table of Markdown with a blank line after it."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n\n"


def percent(x, worse=None):
    """A share, in bold if it is more than `worse`."""
    if math.isnan(x):
        return "-"
    return f"**{x:.1%}**" if worse is not None and x > worse else f"{x:.1%}"


def items_table(found):
    rows = []
    for label, records in found.items():
        groups = by_problem(records)
        for name, group in groups.items():
            of = items_of(group)
            rows.append([
                label, name, of["studies"], percent(of["winner_over_2"], 0.10),
                percent(of["winner_off_3"]), percent(of["first_off_3"], 0.02),
                percent(of["first_off_2"], 0.15), percent(of["report_off_2"], 0.15),
                percent(of["end_off_2"], 0.15), percent(of["outside"], 0.0),
                f"{of['regret']:.4f}", f"{of['spent']:.4f}",
                f"{of['sum']:.4f} +- {of['error']:.4f}",
            ])
    heads = ["of", "items", "studies", "winner overestimated by 2", "winner off by 3",
             "first round off by 3", "by 2", "each report off by 2", "at the end off by 2",
             "means outside 0 to 1", "regret", "spend", "sum"]
    return table(heads, rows)


def outcomes(records):
    """Errors in deviations by suite, kind, what it was said of, and number of trials."""
    found = collections.defaultdict(list)
    for record in records:
        suite = record["problem"].split(":")[0]
        for kind, about, n, z in record["rows"]:
            found[suite, kind, about, n].append(z)
    return found


def gathered(found, key):
    """The same by fewer names: each is a name, or none for what is left out."""
    out = collections.defaultdict(list)
    for names, off in found.items():
        if (name := key(*names)) is not None:
            out[name] += off
    return out


def covered(off):
    """Of errors: how many, the shares inside 1 and 2 deviations, and worse than expected by 2."""
    off = np.array(off)
    return {"outcomes": len(off),
            "inside_1": share(abs(off) <= 1), "inside_2": share(abs(off) <= 2),
            "worse_2": share(off > 2),
            # By so much deviations are to be widened for 95 % inside of two.
            "wider": float(np.quantile(abs(off), 0.95) / 2) if len(off) else math.nan}


def cell(of):
    """Shares inside 1 and 2 deviations, in bold if too few are inside 2."""
    if not of or of["outcomes"] < FEWEST:
        return "-"
    text = f"{100 * of['inside_1']:.0f}, {100 * of['inside_2']:.0f}"
    return f"**{text}**" if of["inside_2"] < WANTED else text


def wider(times):
    """By what to multiply. Of a deviation of next to nothing there is no use in it."""
    return "-" if math.isnan(times) else f"{times:.2g}" if times < 100 else "no use"


def trials_table(found):
    """Shares inside two deviations by the number of trials: a column each, labels beside each."""
    by = {label: gathered(errors, lambda suite, kind, about, n: None if "report" in about
                          else (kind, about, n)) for label, errors in found.items()}
    numbers = sorted({name[2] for errors in by.values() for name in errors})
    rows = []
    for kind, about in sorted({name[:2] for errors in by.values() for name in errors}):
        cells = []
        for n in numbers:
            of = [covered(errors.get((kind, about, n), [])) for errors in by.values()]
            cells.append(" / ".join(two(one) for one in of))
        rows.append([kind, about, *cells])
    heads = ["kind", "of", *(f"{n} trials" for n in numbers)]
    return table(heads, rows) if rows else ""


def two(of):
    if of["outcomes"] < FEWEST:
        return "-"
    text = f"{100 * of['inside_2']:.0f}"
    return f"**{text}**" if of["inside_2"] < WANTED else text


def coverage_table(found, keys, key):
    """A table: a row for each name that `key` gives, with the number of outcomes and the worse."""
    by = {label: gathered(errors, key) for label, errors in found.items()}
    labels = list(by)
    names = sorted({name for errors in by.values() for name in errors})
    rows = []
    for name in names:
        of = [covered(by[label].get(name, [])) for label in labels]
        if max(one["outcomes"] for one in of) < FEWEST:
            continue
        rows.append([*name, *(cell(one) for one in of),
                     *(percent(one["worse_2"]) for one in of),
                     *(wider(one["wider"]) for one in of),
                     " / ".join(str(one["outcomes"]) for one in of)])
    columns = [f"{what} {label}" for what in ("inside 1, 2:", "worse by 2:", "wider:")
               for label in labels]
    return table([*keys, *columns, "outcomes"], rows) if rows else ""


# Tables: the title, names of the columns, and what gives them.
BY = (
    ("By kind of outcome", ("kind", "of"), lambda suite, kind, about, n: (kind, about)),
    ("Inside two deviations, by number of trials", ("kind", "of", "trials"),
     lambda suite, kind, about, n: (kind, about, n) if "report" not in about else None),
    ("By suite", ("suite", "of"),
     lambda suite, kind, about, n: (suite, about) if "report" not in about else (suite, "reports")),
)


def numbers(found):
    """The same as data."""
    out = {}
    for label, records in found.get("items", {}).items():
        groups = by_problem(records)
        out.setdefault("items", {})[label] = {k: items_of(group) for k, group in groups.items()}
    for label, errors in errors_of(found).items():
        for title, keys, key in BY:
            out.setdefault(title, {})[label] = [
                dict(zip(keys, name)) | covered(off)
                for name, off in sorted(gathered(errors, key).items())
            ]
    return out


def errors_of(found):
    """The errors of all parts but items, by label."""
    records = collections.defaultdict(list)
    for part in ("whole", "ends"):
        for label, of in found.get(part, {}).items():
            records[label] += of
    return {label: outcomes(of) for label, of in records.items()}


HEAD = """# Whether deviations cover

Made by `evidence/coverage/run.py report`: [what was played](README.md). *Inside 1, 2* are the
shares of what came within one and two stated deviations, in percent; 68 and 95 are right, and
**bold** is a miss: less than 85 % inside two. *Worse by 2* is the share that came out worse than
expected by more than two deviations. *Wider* is by what deviations would have to be multiplied for
95 % inside of two; it is of no use where a deviation is next to nothing.

"""


def page(found, labels):
    text, errors = HEAD, errors_of(found)
    for title, keys, key in BY:
        made = trials_table(errors) if "trials" in keys else coverage_table(errors, keys, key)
        if made:
            text += f"## {title}\n\n{made}"
    if found.get("items"):
        text += "## Items of 0 and 1\n\n" + items_table(found["items"])
    return text.rstrip() + "\n"
