"""The scripts that people copy: each runs as it stands, and says what its page says it does."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent.parent.parent / "examples" / "python"

#: What each script needs, and what its output has.
SCRIPTS = {
    "optuna_pruner_and_stop.py": (
        ["optuna", "numpy"],
        r"\d+ trials, [1-9]\d* pruned, 3\d\d epochs\nstop: the budget of 300 is spent",
    ),
    "sklearn_model.py": (["sklearn"], r"stop: best 0\.0\d+.*(\n.*)*read wrongly"),
    "training_in_stages.py": (
        ["numpy"],
        r"\d+ runs began, [1-9]\d* went to their end, for (5\d\d|600) epochs\nthe best one: .*0\.1",
    ),
    "workers.py": (
        [],
        r"stop: best .*\nrate = .*, depth = 7: .*\n\{'complete': \d+(, 'pending': 1)?\}",
    ),
}


def scripts():
    if not FOLDER.exists():
        pytest.skip("the examples of the repository are not here")
    return sorted(path.name for path in FOLDER.glob("*.py"))


def run(name, folder):
    return subprocess.run(
        [sys.executable, FOLDER / name],
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_each_script_is_known_and_on_the_page():
    assert scripts() == sorted(SCRIPTS)
    page = (FOLDER / "README.md").read_text()
    assert [name for name in SCRIPTS if f"]({name})" not in page] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_runs_and_says_what_it_found(name, tmp_path):
    scripts()
    needed, said = SCRIPTS[name]
    for package in needed:
        pytest.importorskip(package)
    done = run(name, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(said, done.stdout), done.stdout
    picture = tmp_path / name.replace(".py", ".svg")
    drawn = "savefig" in (FOLDER / name).read_text() and importlib.util.find_spec("matplotlib")
    assert picture.exists() == bool(drawn)
