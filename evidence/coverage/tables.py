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
        groups = {**dict(sorted(grouped(records, lambda r: r["problem"]).items())), "all": records}
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


def numbers(found):
    """The same as data."""
    out = {}
    for label, records in found.get("items", {}).items():
        groups = {**grouped(records, lambda r: r["problem"]), "all": records}
        out.setdefault("items", {})[label] = {k: items_of(group) for k, group in groups.items()}
    return out


def page(found, labels):
    text = ""
    if found.get("items"):
        text += "## Items of 0 and 1\n\n" + items_table(found["items"])
    return text
