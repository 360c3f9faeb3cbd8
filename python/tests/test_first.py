"""Settings that a study begins with."""

import pytest

import gittins
from gittins import errors


def space() -> gittins.Space:
    return gittins.Space().float("x", 0.0, 1.0).choice("net", ["a", "b"])


def test_a_study_begins_with_them_and_so_does_one_in_a_file(tmp_path):
    first = [{"x": 0.25, "net": "b"}, {"x": 0.5, "net": "a"}]
    study = gittins.Study(space(), first=first)
    assert [study.ask().point for _ in first] == first
    journal = gittins.Journal(tmp_path / "a.journal", space(), first=first)
    assert journal.ask().point == first[0]
    assert gittins.Journal(tmp_path / "a.journal").ask().point == first[1]


def test_the_best_of_earlier_studies_come_first(tmp_path):
    memory = gittins.Study(space())
    file = gittins.Journal(tmp_path / "a.journal", space(), "maximize")
    for study, sign in ((memory, 1.0), (file, -1e6)):
        for x in (0.25, 0.5, 0.75):
            study.enter({"x": x, "net": "b"}, sign * (x - 0.3) ** 2)
    best = [{"x": 0.25, "net": "b"}]
    assert gittins.warm_start(space(), [memory, file], 1) == best
    assert gittins.Study(space(), first=best).ask().point == best[0]
    assert len(gittins.warm_start(space(), [memory])) == 3


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ({"x": 0.5, "net": "a"}, "first: expected a list of settings such as "),
        ("x", "first: expected a list of settings such as "),
        ([0.5], "first: expected settings such as "),
        ([{"y": 0.5}], 'first: setting 1: no parameter is named "y"'),
        ([{"x": 0.5, "net": "a"}, {"x": 0.5}], 'first: setting 2: parameter "net": expected '),
        ([{"x": 2, "net": "a"}], 'first: setting 1: parameter "x": expected '),
        ([{"x": 1, "net": "c"}], "first: setting 1: parameter 'net': expected 'a' or 'b', got 'c'"),
        ([{"x": 1, 3: "c"}], "first: setting 1: expected a text, got 3"),
    ],
)
def test_a_wrong_one_is_named(first, message):
    with pytest.raises(errors.GittinsError) as caught:
        gittins.Study(space(), first=first)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((3, []), "space: expected a gittins.Space, got 3"),
        ((space(), ["a.journal"]), "earlier: expected a list of studies"),
        ((space(), []), "no complete trial of the earlier studies is in this space: there is none"),
        ((space(), [], -1), "count: expected a whole number of at least 0, got -1"),
    ],
)
def test_what_cannot_be_chosen_from_is_named(given, message):
    with pytest.raises(errors.GittinsError) as caught:
        gittins.warm_start(*given)
    assert str(caught.value).startswith(message)
