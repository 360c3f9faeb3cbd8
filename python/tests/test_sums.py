"""Mixtures, and other sums that are equal to something."""

import pytest

import gittins
from gittins import Journal, Space, Study

PARTS = ["resin", "hardener", "filler", "water"]


def mixture():
    space = Space()
    for part in PARTS:
        space.float(part, 0.0, 1.0)
    return space.sum_to(PARTS, 1.0).at_least({"hardener": 1.0, "resin": -0.2}, 0.0)


def few_of_two(space):
    """Neither of two parts is enough alone."""
    space.float("a", 0.0, 0.4).float("b", 0.0, 0.4)
    return space.sum_to(["a", "b"], 0.7).at_most_of(["a", "b"], 1)


def halves(space):
    return space.sum_to(PARTS[:2], 1.0).equal_to({"resin": 1.0, "hardener": -1.0}, 0.0)


def loss(values):
    """The least is where there is no water."""
    wanted = [0.5, 0.2, 0.3, -0.1]
    return sum((values[name] - best) ** 2 for name, best in zip(PARTS, wanted))


def test_suggestions_are_mixtures_and_the_best_is_on_an_edge(tmp_path):
    study = Journal(tmp_path / "paint.journal", mixture(), seed=1)
    for _ in range(20):
        (ask,) = study.ask_many(1)
        assert abs(sum(ask.values()) - 1.0) < 1e-12
        assert ask["hardener"] >= 0.2 * ask["resin"] - 1e-12
        study.tell(ask, loss(ask))
    assert study.recommendation().values["water"] == 0.0
    again = Journal(tmp_path / "paint.journal")
    assert again.space == mixture()
    given = again.ask(where={"water": 0.25})
    assert abs(sum(given.values()) - 1.0) < 1e-12


def test_a_mixture_goes_through_data():
    space = mixture().equal_to({"resin": 2, "water": -1}, 0.5)
    assert Space.from_data(space.to_data()) == space
    assert space != mixture()


def test_at_most_so_many_parts_are_there(tmp_path):
    space = Space()
    for part in PARTS:
        space.float(part, 0.0, 1.0)
    space.sum_to(PARTS, 1.0).at_most_of(PARTS, 2, least=0.1)
    assert Space.from_data(space.to_data()) == space
    study = Journal(tmp_path / "few.journal", space, seed=1)
    for _ in range(16):
        ask = study.ask()
        there = [value for value in ask.values() if value != 0.0]
        assert len(there) <= 2
        assert min(there) >= 0.1 * (1.0 - 1e-9)
        study.tell(ask, loss(ask))
    best = study.recommendation().values
    assert {name for name in PARTS if best[name] > 0.0} == {"resin", "filler"}
    with pytest.raises(gittins.GittinsError, match="where 3 are there"):
        study.enter(dict(zip(PARTS, [0.5, 0.3, 0.2, 0.0])), 1.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda space: space.sum_to("ab", 1.0), "expected names that differ, like .* got 'ab'"),
        (lambda space: space.sum_to([], 1.0), "expected names that differ"),
        (lambda space: space.sum_to(["resin", "resin"], 1.0), "expected names that differ"),
        (lambda space: space.sum_to(None, 1.0), "expected names that differ"),
        (lambda space: space.sum_to(["resin"], "1"), "equal_to: the total.*number, got '1'"),
        (lambda space: space.equal_to(["resin"], 1.0), "equal_to: expected weights by names"),
        (lambda space: space.sum_to(["resin", "wax"], 1.0), "'wax'"),
        (lambda space: space.sum_to(["resin", "filler"], 3.0), "the sum is from 0 to 2"),
        (halves, 'leaves the one point "resin" = 0'),
        (lambda space: space.int("n", 0, 3).sum_to(["resin", "n"], 1.0), "n.* is a whole number"),
        (lambda space: space.at_most_of("ab", 1), "at_most_of: expected names that differ"),
        (lambda space: space.at_most_of(PARTS, 0), "at_most_of: the count: .*got 0"),
        (lambda space: space.at_most_of(PARTS, 1.5), "at_most_of: the count: .*got 1.5"),
        (lambda space: space.at_most_of(PARTS, None), "at_most_of: the count: .*got None"),
        (lambda space: space.at_most_of(["wax"], 1), "'wax'"),
        (lambda space: space.at_most_of(PARTS, 2, least=-1.0), "0 or more, got -1"),
        (lambda space: space.flag("f").at_most_of(["resin", "f"], 1), '"f" is true or false'),
        (few_of_two, "no set of parts was found"),
    ],
)
def test_mistakes_name_the_culprit(change, words):
    with pytest.raises(gittins.GittinsError, match=words):
        Study(change(mixture()))


def test_a_part_that_is_left_one_value_keeps_it():
    study = Study(mixture().sum_to(PARTS[:3], 1.0), seed=1)
    for _ in range(3):
        ask = study.ask()
        assert ask[PARTS[3]] == 0.0
        study.tell(ask, loss(ask))


def test_a_trial_that_is_no_mixture_says_what_its_sum_is():
    study = Study(mixture())
    values = dict(zip(PARTS, [0.5, 0.2, 0.3, 0.1]))
    with pytest.raises(gittins.GittinsError, match=r"where the sum is 1\.1"):
        study.enter(values, 1.0)


def test_words_of_others_are_answered():
    with pytest.raises(AttributeError, match="sum_to"):
        Space().add_constraint  # noqa: B018
