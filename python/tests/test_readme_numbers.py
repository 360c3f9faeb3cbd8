"""The numbers of the first page are those of the pages behind it."""

from __future__ import annotations

import pathlib

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent

#: The columns of the README's table, and the sections of `docs/contest.md` that they are from.
SECTIONS = {
    "BBOB, d = 5": "BBOB, d = 5, instances 6 to 10",
    "d = 10": "BBOB, d = 10, instances 6 to 10",
    "d = 20": "BBOB, d = 20, instances 6 to 10",
    "noise, d = 5": "Noise, d = 5, instances 6 to 10",
    "real models, equal money": "Real models, at equal money",
}
#: The column that is from `docs/workers.md`.
WORKERS = "8 workers"
OPPONENTS = {
    "BoTorch (LogEI)": "botorch",
    "Optuna's GPSampler": "gp",
    "Optuna's TPE": "tpe",
    "CMA-ES": "cma",
}


def page(name):
    if not (ROOT / "ARCHITECTURE.md").exists():
        pytest.skip("the pages of the repository are not here")
    return (ROOT / name).read_text()


def rows(text):
    """The rows of all tables, as cells."""
    lines = (line for line in text.splitlines() if line.startswith("|"))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def row(text, head):
    """The first row whose first cell is this."""
    return next(cells for cells in rows(text) if cells[0] == head)


def on_the_contest(section, opponent):
    """The share of wins as the README says it, and of how many runs; none if it was not played."""
    contest = page("docs/contest.md")
    share = dict(zip(row(contest, "wins against"), row(contest, section)))[opponent]
    if share == "-":
        return None
    part = contest.split(f"## {section}\n")[1]
    said = dict(zip(row(part, "wins against"), row(part, "all")))[opponent]
    wins, runs = share.split(" of ")
    return wins if said.endswith("ahead") else f"{wins}, level", int(runs)


def beside_workers(opponent):
    """The same for eight workers."""
    part = page("docs/workers.md").split("## 8 workers\n")[1]
    found = [cells for cells in rows(part) if cells[0] == f"{opponent}-w8"]
    if not found:
        return None
    _, wins, runs, _, p, *_ = found[0]
    return wins if float(p) < 0.05 else f"{wins}, level", int(runs)


def test_the_table_has_the_numbers_of_the_pages():
    columns, _, runs, *found = [
        cells for cells in rows(page("README.md")) if len(cells) == len(SECTIONS) + 2
    ]
    assert set(columns[1:]) == {*SECTIONS, WORKERS}
    assert [cells[0] for cells in found] == list(OPPONENTS)
    for at, column in enumerate(columns[1:], 1):
        counts = set()
        for cells in found:
            opponent = OPPONENTS[cells[0]]
            behind = (
                beside_workers(opponent)
                if column == WORKERS
                else on_the_contest(SECTIONS[column], opponent)
            )
            wins, count = behind or ("-", None)
            assert cells[at] == wins, (cells[0], column)
            counts |= {count} if count else set()
        least, most = min(counts), max(counts)
        assert runs[at] == (f"{least}" if least == most else f"{least} to {most}"), column
