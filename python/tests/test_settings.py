"""Settings and names are those of the engine, and the page has them."""

from __future__ import annotations

import inspect
import json
import pathlib
import re
import typing

import pytest

import gittins
from gittins import _gittins, errors, policy
from gittins._data import StudySettings, settings_of

TABLES = json.loads(_gittins.tables())
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "settings.md"


def space() -> gittins.Space:
    return gittins.Space().float("x", 0.0, 1.0)


def started(**settings: typing.Any) -> _gittins.Study:
    return _gittins.Study(settings_of(space(), "minimize", **settings))


def test_the_policies_are_those_of_the_engine():
    makers = {name for name in policy.__all__ if name not in ("Policy", "PolicyName")}
    assert makers == {entry["name"] for entry in TABLES["policies"]}
    free = typing.get_args(policy.PolicyName)
    needs_none = {
        entry["name"]
        for entry in TABLES["policies"]
        if not any(key["needed"] for key in entry["keys"])
    }
    assert set(free) == needs_none


@pytest.mark.parametrize("entry", TABLES["policies"], ids=lambda entry: entry["name"])
def test_a_policy_has_the_parameters_and_defaults_of_the_engine(entry):
    maker = getattr(policy, entry["name"])
    parameters = inspect.signature(maker).parameters
    assert list(parameters) == [key["name"] for key in entry["keys"]]
    for key in entry["keys"]:
        default = parameters[key["name"]].default
        assert default == (inspect.Parameter.empty if key["needed"] else key["usual"])
        bad = {"above": lambda bound: bound, "at_least": lambda b: b - 1, "count": lambda b: b - 1}
        [(shape, bound)] = key["shape"].items()
        needed = {other["name"]: 3.0 for other in entry["keys"] if other["needed"]}
        wrong = {**needed, key["name"]: bad[shape](bound)}
        with pytest.raises(errors.InvalidSettingError, match=key["name"]):
            started(policy=maker(**wrong))
    started(policy=maker(**{key["name"]: 3.0 for key in entry["keys"] if key["needed"]}))


def test_each_setting_reaches_the_engine():
    given = {
        "policy": policy.log_ei(),
        "cost": "learned",
        "cost_floor": 0.1,
        "cost_unit": "s",
        "seed": 2**64 - 1,
        "initial": 3,
        "first": [{"x": 0.25}],
        "expected_trials": 20,
        "time_limit": 5.0,
        "overdue": 4,
        "budget": 100.0,
        "stop": [{"name": "stall", "window": 9}, {"all": ["stall", "regret_gap"]}],
        "standardize": False,
        "warping": "none",
        "incumbent": "best_outcome",
        "limits": {"size": {"at_most": 3}},
        "objectives": {"latency": {"direction": "minimize", "reference": 9}},
        "reference": 0.5,
        "best_possible": 1.0,
        "search": {"points": 64, "starts": 2, "plain": True},
        "model": {"kernel": "rbf", "noise": {"fixed": 1e-4}, "restarts": 1},
        "cost_model": {"isotropic": True},
        "stages": {"epochs": 9},
        "backend": "auto",
    }
    elsewhere = {"space", "direction", "table"}
    assert ["price", "n_trials", *given] == list(StudySettings.__annotations__)
    assert set(given) | elsewhere == {key["name"] for key in TABLES["settings"]}
    started(**{name: value for name, value in given.items() if name != "stages"})
    started(stages=given["stages"])
    for name, value in given.items():
        wrong = {"x": 1} if not isinstance(value, dict) else {"bugdet": 1}
        with pytest.raises(errors.InvalidSettingError, match=name):
            started(**{name: wrong})


def test_amounts_have_a_cost_in_money(tmp_path):
    cost = gittins.LinearCost(per_unit={"x": 40.0}, fixed=5.0)
    settings = {"cost": cost, "cost_unit": "EUR", "price": 1e-3, "initial": 4, "seed": 1}
    study = gittins.Journal(tmp_path / "study.log", space(), **settings)
    for _ in range(6):
        ask = study.ask()
        study.tell(ask, (ask["x"] - 0.3) ** 2)
    assert [one.cost for one in study.trials] == [5 + 40 * one.values["x"] for one in study.trials]
    assert "which is worth" in str(study.verdict())
    assert gittins.Journal(tmp_path / "study.log").total_cost == study.total_cost


def test_by_a_price_list_what_is_dear_waits():
    prices = {"small": 1.0, "middle": 4.0, "large": 20.0, "huge": 900.0}
    models = gittins.Space().choice("model", list(prices))
    cost = gittins.LinearCost({"model": prices})
    study = gittins.Study(models, cost=cost, stages={"items": 50}, initial=2, price=1e-5)
    begun = [study.ask() for _ in range(2)]
    assert "huge" not in {ask["model"] for ask in begun}
    for ask, outcome in zip(begun, (0.3, 0.6)):
        study.report(ask, 2, outcome, cost=prices[ask["model"]] / 25)
    assert study.total_cost == pytest.approx(sum(prices[ask["model"]] for ask in begun) / 25)


def test_a_rule_by_its_name_stops_the_study():
    study = gittins.Study(space(), stop={"name": "stall", "window": 2}, initial=2, seed=1)
    for outcome in (0.0, 1.0, 2.0, 3.0, 4.0):
        study.tell(study.ask(), outcome)
    verdict = study.verdict()
    assert verdict.stop
    assert verdict.rule == "no new best"


def test_what_is_wrong_with_a_rule_is_said():
    for rule, message in [
        ("stal", 'did you mean "stall"'),
        ({"name": "stall", "windw": 3}, 'did you mean "window"'),
        ({"name": "stall", "window": 0}, "at least 1, got 0"),
        ({"name": "stall", "window": object()}, "stop: window: expected a number"),
    ]:
        with pytest.raises(errors.InvalidSettingError, match=message):
            started(stop=rule)


def test_the_page_has_each_setting_and_each_call_of_python():
    named: set[str] = set()
    column = None
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            column = None
        elif "Python" in cells:
            column = cells.index("Python")
        elif column is not None:
            named |= set(re.findall(r"`(\w+)[`(]", cells[column]))
    assert set(StudySettings.__annotations__) <= named
    methods = inspect.getmembers(gittins.Journal, inspect.isfunction)
    assert {name for name, _ in methods if not name.startswith("_")} <= named
