"""Contexts: parameters that are given and not chosen."""

import pytest

import gittins
from gittins import Journal, Space, Study


def space():
    return Space().float("x", 0.0, 1.0).choice("machine", ["old", "new"])


def loss(values):
    """The old machine is worse everywhere, and best elsewhere."""
    best, level = (0.2, 1.0) if values["machine"] == "old" else (0.7, 0.0)
    return 4.0 * (values["x"] - best) ** 2 + level


def test_each_context_has_its_own_end_and_setting(tmp_path):
    study = Journal(tmp_path / "machines.journal", space(), price=0.02, seed=2)
    for machine in ["new", "old"]:
        context = {"machine": machine}
        while not study.verdict(context=context):
            (ask,) = study.ask_many(1, context=context)
            assert ask["machine"] == machine
            study.tell(ask, loss(ask))
    again = Journal(tmp_path / "machines.journal")
    for machine, level in [("new", 0.0), ("old", 1.0)]:
        setting = again.recommendation(context={"machine": machine})
        assert setting.values["machine"] == machine
        assert loss(setting.values) < level + 0.15
    assert again.recommendation().values["machine"] == "new"


@pytest.mark.parametrize(
    ("context", "words"),
    [
        ({"machine": "odd"}, "'odd'"),
        ({"machines": "old"}, "context: .*'machines'"),
        ("old", "context"),
        ({"x": (0.4, 0.2)}, "x"),
        ({"x": None}, "x"),
    ],
)
def test_mistakes_name_the_culprit(context, words):
    study = Study(space(), price=0.1)
    for call in (study.ask, study.verdict, study.recommendation):
        with pytest.raises(gittins.GittinsError, match=words):
            call(context=context)


def test_what_is_for_no_context_says_so():
    study = Study(space())
    verdict = study.verdict(context={"machine": "old"})
    assert not verdict
    assert "no price and no budget" in verdict.words
    assert study.recommendation(context={"machine": "old"}) is None
    with pytest.raises(gittins.GittinsError, match="no context"):
        study.verdict(on_another=True, context={"machine": "old"})
