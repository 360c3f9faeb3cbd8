"""Parameters with one value are constants."""

from __future__ import annotations

import pytest

import gittins
from gittins import Space

ONE = {
    "float": (lambda s: s.float("c", 0.5, 0.5), 0.5),
    "log_float": (lambda s: s.log_float("c", 1e-3, 1e-3), 1e-3),
    "int": (lambda s: s.int("c", 3, 3), 3),
    "log_int": (lambda s: s.log_int("c", 3, 3), 3),
    "steps": (lambda s: s.steps("c", 0.5, 0.5, 0.1), 0.5),
    "numbers": (lambda s: s.numbers("c", [64]), 64),
    "ordinal": (lambda s: s.ordinal("c", ["small"]), "small"),
    "choice": (lambda s: s.choice("c", ["adam"]), "adam"),
    "choice of a number": (lambda s: s.choice("c", [1]), 1),
    "choice of nothing": (lambda s: s.choice("c", [None]), None),
    "choice of a list": (lambda s: s.choice("c", [[1, 2]]), [1, 2]),
}


@pytest.mark.parametrize("kind", ONE)
def test_one_value_comes_back_as_its_kind_says(kind):
    add, value = ONE[kind]
    space = add(Space()).int("n", 0, 2)
    space.flag("f", when={"c": [value]})
    study = gittins.Study(space, seed=1)
    for _ in range(6):
        ask = study.ask()
        assert ask["c"] == value
        assert type(ask["c"]) is type(value)
        assert ask["f"] in (False, True)
    with pytest.raises(gittins.ExhaustedError):
        study.ask()
    assert Space.from_data(space.to_data()) == space


def test_one_value_in_a_file(tmp_path):
    space = Space().choice("c", ["adam"]).int("n", 3, 3).flag("f")
    for _ in range(2):
        journal = gittins.Journal(tmp_path / "a.journal", space, seed=1)
        ask = journal.ask()
        assert (ask["c"], ask["n"]) == ("adam", 3)
        journal.tell(ask, float(ask["f"]))
