"""The first mistakes of somebody who knows Optuna and not this package, and what is answered."""

from __future__ import annotations

import math

import pytest

import gittins
from gittins import Space, Study, errors, policy


def space():
    return Space().float("rate", 0.0, 1.0).choice("solver", ["adam", "sgd"])


def study(**settings):
    return Study(space(), **settings)


def asked():
    one = study()
    one.ask()
    return one


def run(**stages):
    return Study(space(), stages=stages or {"epochs": 9}, budget=50.0).run()


class Opaque:
    """Something that nobody expects."""


REFUSED = {
    # What is searched.
    "bounds swapped": (lambda: Space().float("x", 1, 0), "'x'.*lower bound must be below.*1.0 and"),
    "a bound is NaN": (lambda: Space().float("x", math.nan, 1.0), "'x': the lower bound.*nan"),
    "a bound is infinite": (lambda: Space().float("x", 0.0, math.inf), "'x': the upper bound.*inf"),
    "a bound is a text": (lambda: Space().float("x", "0", 1.0), "'x': the lower bound.*got '0'"),
    "a bound is nothing": (lambda: Space().float("x", None, 1.0), "'x'.*expected a number.*None"),
    "a bound is a flag": (lambda: Space().float("x", False, True), "'x'.*expected a number, got F"),
    "a whole bound has a fraction": (
        lambda: Space().int("n", 1.5, 3),
        "'n'.*whole number, got 1.5",
    ),
    "a whole bound is a text": (lambda: Space().int("n", 1, "3"), "'n': the upper bound.*got '3'"),
    "a whole bound is huge": (lambda: Space().int("n", 0, 10**30), "'n'.*2\\^49"),
    "a whole bound is infinite": (lambda: Space().int("n", 0, math.inf), "'n'.*whole number.*inf"),
    "a log scale from zero": (lambda: Space().log_float("x", 0, 1), "'x'.*positive on a log scale"),
    "a whole log scale from zero": (lambda: Space().log_int("n", 0, 9), "'n'.*positive on a log"),
    "a step is a text": (lambda: Space().steps("x", 0, 1, "a"), "'x': the step.*got 'a'"),
    "a step is zero": (lambda: Study(Space().steps("x", 0, 1, 0)), '"x".*step must be positive'),
    "a single number for a list": (lambda: Space().numbers("x", 5), "'x'.*list of numbers, got 5"),
    "numbers that fall": (lambda: Space().numbers("x", [2, 1]), "'x'.*each above the one before"),
    "texts for numbers": (lambda: Space().numbers("x", ["1", "2"]), "'x'.*number, got '1'"),
    "a text for a list": (lambda: Space().choice("x", "adam"), "'x'.*list of values, got 'adam'"),
    "a dictionary for a list": (lambda: Space().choice("x", {"a": 1}), "'x'.*list of values"),
    "a set has no order": (lambda: Space().choice("x", {"a", "b"}), "'x': a set has no order"),
    "no choice": (lambda: Space().choice("x", []), "'x': expected a value at least"),
    "the same choice twice": (
        lambda: Space().choice("x", ["a", "a"]),
        "'x': 'a' and 'a' are equal",
    ),
    "equal to Python": (lambda: Space().choice("x", [1, True]), "'x': 1 and True are equal"),
    "equal as numbers": (lambda: Space().ordinal("x", [1, 1.0]), "'x': 1 and 1.0 are equal"),
    "a choice is NaN": (lambda: Space().choice("x", [1.0, math.nan]), "'x': expected finite"),
    "a tuple as a choice": (lambda: Space().choice("x", [(1, 2), (3,)]), "'x'.*a list is one"),
    "an object as a choice": (lambda: Space().choice("x", [Opaque, 1]), "'x'.*is no value"),
    "a name twice": (lambda: Space().flag("x").float("x", 0, 1), "'x' is there already"),
    "an empty name": (lambda: Space().float("", 0, 1), "name of a parameter.*got ''"),
    "no name": (lambda: Space().float(None, 0, 1), "name of a parameter.*got None"),
    "a number as a name": (lambda: Space().float(3, 0, 1), "name of a parameter.*got 3"),
    "a constant that is no number": (lambda: Space().constant("x", Opaque), "'x'.*got <class"),
    # When a parameter exists.
    "a condition is no dictionary": (
        lambda: space().float("m", 0, 1, when="solver"),
        "'m': when: expected a dictionary.*'solver'",
    ),
    "a condition on an unknown parameter": (
        lambda: Study(space().float("m", 0, 1, when={"solvr": "sgd"})),
        "'m'.*'solvr'.*did you mean 'solver'",
    ),
    "a condition on an unknown value": (
        lambda: space().float("m", 0, 1, when={"solver": "sgdd"}),
        "'m'.*'solver'.*got 'sgdd'.*did you mean 'sgd'",
    ),
    "a tuple of names": (
        lambda: space().float("m", 0, 1, when={"solver": ("adam", "sgd")}),
        "'m'.*'solver'.*two bounds.*values are a list",
    ),
    "bounds of a name": (
        lambda: space().float("m", 0, 1, when={"solver": (1, 2)}),
        "'m'.*two bounds, and 'solver' is 'adam' or 'sgd'",
    ),
    "a condition without a value": (
        lambda: space().float("m", 0, 1, when={"solver": []}),
        "'m'.*'solver'.*a value at least",
    ),
    "a condition without a bound": (
        lambda: space().float("m", 0, 1, when={"rate": (None, None)}),
        "'m'.*'rate'.*two bounds",
    ),
    "a condition with crossed bounds": (
        lambda: space().float("m", 0, 1, when={"rate": (0.5, 0.1)}),
        "'m'.*'rate'.*lower bound is above",
    ),
    "weights are no dictionary": (lambda: space().at_most(["rate"], 1.0), "at_most.*weights"),
    "a weight is a text": (lambda: space().at_most({"rate": "1"}, 1.0), "'rate'.*number, got '1'"),
    "no data of a space": (lambda: Space.from_data({"rate": [0, 1]}), "Space.to_data returned"),
    # How a study is set up.
    "a dictionary as a space": (lambda: Study({"x": (0, 1)}), "space.*gittins.Space.*\\(dict\\)"),
    "a class as a space": (lambda: Study(Space), "space.*expected a gittins.Space"),
    "direction misspelled": (lambda: study(direction="maximise"), "did you mean 'maximize'"),
    "no direction": (
        lambda: study(direction=None),
        "direction.*'minimize' or 'maximize', got None",
    ),
    "cost misspelled": (lambda: study(cost="learnt"), "cost.*did you mean 'learned'"),
    "cost is a mapping": (lambda: study(cost={"x": 1.0}), "cost: expected.*LinearCost.*got {'x'"),
    "amounts are no mapping": (
        lambda: study(cost=gittins.LinearCost([("x", 1.0)])),
        "cost: per_unit: expected a mapping",
    ),
    "an amount costs a text": (
        lambda: study(cost=gittins.LinearCost({"x": "1"})),
        "cost: per_unit: x: expected a number, got '1'",
    ),
    "a name costs a text": (
        lambda: study(cost=gittins.LinearCost({"x": {"a": "1"}})),
        "cost: per_unit: x: a: expected a number, got '1'",
    ),
    "a text of a choice of numbers": (
        lambda: Study(
            Space().choice("batch", [16, 32]), cost=gittins.LinearCost({"batch": {"16": 1.0}})
        ),
        "cost: per_unit: batch: parameter 'batch': expected 16 or 32, got '16'",
    ),
    "a value without a price": (
        lambda: Study(
            Space().choice("batch", [16, 32]), cost=gittins.LinearCost({"batch": {16: 1.0}})
        ),
        'linear cost: "batch": expected a cost of 32',
    ),
    "a flag has names": (
        lambda: study(cost=gittins.LinearCost({"rate": {True: 1.0}})),
        'linear cost: "rate" is a .*: expected one cost per unit',
    ),
    "a number has names": (
        lambda: study(cost=gittins.LinearCost({"rate": {"a": 1.0}})),
        'linear cost: "rate" is a .*: expected one cost per unit',
    ),
    "an amount is of no parameter": (
        lambda: study(cost=gittins.LinearCost({"y": 1.0})),
        'linear cost: no parameter is named "y"',
    ),
    "what is fixed is NaN": (
        lambda: study(cost=gittins.LinearCost({"x": 1.0}, fixed=math.nan)),
        "cost: fixed: expected a finite number, got nan",
    ),
    "cost is a flag": (lambda: study(cost=True), "cost: expected a number, got True"),
    "cost is NaN": (lambda: study(cost=math.nan), "cost: expected a finite number, got nan"),
    "a negative seed": (lambda: study(seed=-1), "seed.*from 0 to 18446744073709551615, got -1"),
    "a seed with a fraction": (lambda: study(seed=0.5), "seed.*whole number.*got 0.5"),
    "a huge seed": (lambda: study(seed=2**64), "seed.*from 0 to"),
    "a seed is a text": (lambda: study(seed="1"), "seed.*got '1'"),
    "initial is negative": (lambda: study(initial=-1), "initial.*at least 0, got -1"),
    "a limit is a text": (lambda: study(time_limit="1s"), "time_limit.*number, got '1s'"),
    "a floor is infinite": (lambda: study(cost_floor=math.inf), "cost_floor.*finite.*inf"),
    "a unit is a number": (lambda: study(cost_unit=1), "cost_unit.*text, got 1"),
    "a policy needs a price": (
        lambda: study(policy="gittins"),
        r"'gittins' needs a price: gittins.policy.gittins\(price=...\)",
    ),
    "a policy needs a budget": (lambda: study(policy="log_eipc_cooled"), "needs a budget: gittins"),
    "a policy is misspelled": (lambda: study(policy="gitins"), "'gitins'.*did you mean 'gittins'"),
    "a policy is no policy": (lambda: study(policy=1e-3), "expected a policy.*got 0.001"),
    "a policy is not called": (lambda: study(policy=policy.ucb), r"call gittins.policy.ucb\(\)"),
    "a policy of one's own name": (
        lambda: study(policy=policy.Policy("tpe")),
        "no policy is named 'tpe'",
    ),
    "a policy lacks its setting": (
        lambda: study(policy=policy.Policy("gittins")),
        r"'gittins'.*price.*gittins.policy.gittins\(price=...\)",
    ),
    "a weight of a name": (
        lambda: Study(space().at_most({"solver": 1}, 1.0)),
        "weighted sum: 'solver' is 'adam' or 'sgd', and no number",
    ),
    "a weight of nothing": (lambda: Study(space().at_most({"rat": 1}, 1.0)), "mean 'rate'"),
    "a limit below zero": (lambda: study(time_limit=-1), "time_limit.*at least 0, got -1"),
    "a price of zero": (lambda: policy.gittins(0), "price: expected a number above 0, got 0"),
    "a factor of one": (lambda: policy.gittins_decay(1.0, 1.0), "factor.*above 1, got 1.0"),
    "a price is a text": (lambda: policy.gittins("cheap"), "gittins: price.*got 'cheap'"),
    "a price is NaN": (lambda: policy.gittins(math.nan), "gittins: price.*finite"),
    "fantasies are a fraction": (lambda: policy.knowledge_gradient(0.5), "fantasies.*got 0.5"),
    # What is asked and told.
    "an unknown parameter is given": (
        lambda: study().ask(where={"solvr": "sgd"}),
        "'solvr'.*there are.*did you mean 'solver'",
    ),
    "an unknown value is given": (
        lambda: study().ask(where={"solver": "sdg"}),
        "'solver'.*'adam' or 'sgd', got 'sdg'.*did you mean",
    ),
    "a text for a number is given": (
        lambda: study().ask(where={"rate": "0.5"}),
        "'rate'.*expected a number, got '0.5'",
    ),
    "a part is no dictionary": (
        lambda: study().ask(where=["rate"]),
        "where: expected a dictionary",
    ),
    "a limit of cost is a text": (lambda: study().ask(within="5"), "within.*number, got '5'"),
    "a negative number of points": (lambda: study().ask_many(-1), "count.*at least 0, got -1"),
    "an outcome is a text": (lambda: asked().tell(0, "0.5"), "trial 0: the outcome.*got '0.5'"),
    "an outcome is a pair": (lambda: asked().tell(0, (0.5, 1.0)), "trial 0: the outcome.*got \\("),
    "an outcome is a flag": (lambda: asked().tell(0, True), "trial 0: the outcome.*got True"),
    "no outcome": (lambda: asked().tell(0, None), "trial 0: expected an outcome, or"),
    "an outcome that failed": (lambda: asked().tell(0, 1.0, failed=True), "trial 0.*failed.*both"),
    "a cost that comes later": (
        lambda: asked().tell(0, 1.0, cost=1.0, cost_later=True),
        "trial 0.*cost_later=True, got both",
    ),
    "failed is a text": (lambda: asked().tell(0, failed="yes"), "trial 0: failed.*got 'yes'"),
    "a trial is a text": (
        lambda: asked().tell("0", 1.0),
        "trial: expected a whole number, got '0'",
    ),
    "a negative trial": (lambda: asked().tell(-1, 1.0), "trial -1: expected a trial or its number"),
    "told twice": (
        lambda: [one.tell(0, 1.5) for one in [asked()] * 2],
        "trial 0: told before as complete, outcome 1.5;",
    ),
    "corrected before it is told": (lambda: asked().correct(0, 1.0), "trial 0: it is pending"),
    "entered by a list": (lambda: study().enter([0.5, "sgd"], 1.0), "values.*dictionary.*\\[0.5"),
    "entered by another name": (
        lambda: study().enter({"rat": 0.5, "solver": "sgd"}, 1.0),
        "'rat'.*did you mean 'rate'",
    ),
    "entered by another value": (
        lambda: study().enter({"rate": 0.5, "solver": "SGD"}, 1.0),
        "'solver'.*got 'SGD'.*did you mean 'sgd'",
    ),
    "entered without a value": (
        lambda: study().enter({"rate": 0.5}, 1.0),
        "'solver': expected 'adam' or 'sgd', it is missing",
    ),
    "entered with a value that no float holds": (
        lambda: study().enter({"rate": 10**400, "solver": "sgd"}, 1.0),
        "'rate'.*finite number, got inf",
    ),
    "entered with a value of another branch": (
        lambda: Study(space().float("m", 0, 1, when={"solver": "sgd", "rate": (0.5, None)})).enter(
            {"rate": 0.75, "solver": "adam", "m": 0.5}, 1.0
        ),
        "'m': it is given, and exists only if 'solver' is 'sgd' and 'rate' is at least 0.5",
    ),
    "a policy that is unknown later": (lambda: study().change_policy("uct"), "did you mean 'ucb'"),
    "a budget is a text": (lambda: study().price_from_budget("9"), "budget.*number, got '9'"),
    "direction is cut short": (lambda: study(direction="max"), "did you mean 'maximize'"),
    "cost is a function": (lambda: study(cost=len), "cost: expected a number, 'learned', None"),
    "a rule is a number": (lambda: study(stop=5), "stop: expected the name of a stopping.*got 5"),
    "a rule without its name": (lambda: study(stop={"window": 3}), "stop: expected 'name', it is"),
    "a rule with a text": (
        lambda: study(stop={"name": "stall", "window": "x"}),
        'stop: window: expected a number, got "x"',
    ),
    "a rule with another number": (
        lambda: study(stop={"name": "stall", "windw": 3}),
        "windw.*did you mean .window",
    ),
    "no rule": (lambda: study(stop=[]), "at least one stopping rule"),
    "a warp misspelled": (
        lambda: study(warping="halfrank"),
        r"^warping: expected one of \['none', 'half_rank'\], got 'halfrank'; did you mean 'half",
    ),
    "a flag is a text": (
        lambda: study(standardize="yes"),
        'standardize: expected True or False, got "yes"',
    ),
    "points are many": (
        lambda: study(search={"points": "many"}),
        'search: points: expected a whole number of at least 0, got "many"',
    ),
    "points are negative": (lambda: study(search={"points": -1}), "search: points.*got -1"),
    "a search is a number": (lambda: study(search=5), "search: expected a dictionary.*got 5"),
    "a kernel misspelled": (lambda: study(model={"kernel": "rbff"}), "kernel.*did you mean 'rbf'"),
    "noise is a number": (
        lambda: study(model={"noise": -1}),
        "model: noise: expected a name, or a dictionary with one",
    ),
    "a backend of others": (lambda: study(backend="cuda"), "backend.*'gpu'.*got 'cuda'"),
    "jointly is a text": (
        lambda: study().ask_many(2, jointly="yes"),
        "jointly: expected True or False, got 'yes'",
    ),
    "no path": (lambda: gittins.Journal(None), "path: expected the path of a file, got None"),
    "a space for a path": (lambda: gittins.Journal(space(), "x"), r"path: expected.*got Space\("),
    "a folder that is not there": (
        lambda: gittins.Journal("no/such/folder", space()),
        "no/such/folder: the journal cannot be opened: No such file or directory$",
    ),
    "a file of something else": (
        lambda: gittins.Journal(__file__),
        "line 1: expected an operation of Optuna's journal as JSON$",
    ),
    "a context in stages": (
        lambda: Study(space(), stages={"epochs": 9}).ask(context={"solver": "sgd"}),
        "in stages a request has a count alone.*no context",
    ),
    "told of another study": (lambda: study().tell(asked().ask(), 1.0), "trial 1: expected one of"),
    "a negative cost": (lambda: asked().tell(0, 1.0, cost=-3.0), "trial 0.*positive cost, got -3"),
    "no cost": (
        lambda: [one.tell(one.ask(), 1.0) for one in [study(cost="learned")]],
        "trial 0: expected the cost of a complete trial",
    ),
    "an outcome is infinite": (lambda: asked().tell(0, -math.inf), "the outcome.*finite.*got -inf"),
    "an unknown trial": (lambda: asked().tell(5, 1.0), "trial 5: expected one of the 1 trials"),
    # Runs in stages, and items.
    "a run without stages": (lambda: study().run(), r"run: this study has no stages"),
    "an epoch is a text": (
        lambda: run(epochs="27"),
        "stages: epochs: expected a whole number.*got '27'",
    ),
    "two lengths": (lambda: run(epochs=9, folds=3), "stages: expected {'epochs': 27}.*got"),
    "a misspelled length": (lambda: run(epoch=9), "stages: expected {'epochs': 27}.*'epoch': 9"),
    "a stage flag is a text": (
        lambda: run(epochs=9, repeats="yes"),
        "stages: repeats: expected True or False, got 'yes'",
    ),
    "reports that fall": (
        lambda: run(epochs=9, reports=[3, 2]),
        "report 2: expected a progress ab",
    ),
    "reports by progress": (
        lambda: run(epochs=9, reports={3: 0.5, 9: 0.2}),
        "stages: reports: expected a list of numbers, got {3",
    ),
    "numbers by their names": (
        lambda: Space().numbers("n", {1: "a", 2: "b"}),
        "parameter 'n': expected a list of numbers, got {1: 'a'",
    ),
    "parts with weights": (
        lambda: Space().float("a", 0, 1).float("b", 0, 1).sum_to({"a": 2.0, "b": 3.0}, 1.0),
        r"sum_to: expected names that differ, like \['a', 'b'\], got {'a': 2.0",
    ),
    "a report is a text": (lambda: run().report("0.5"), "trial 0: the outcome.*number, got '0.5'"),
    "a report is nothing": (lambda: run().report(None), "trial 0: the outcome.*number, got None"),
    "a report is NaN": (lambda: run().report(math.nan), "trial 0: the outcome.*finite.*nan"),
    "two outcomes": (lambda: run().report([1.0, 2.0]), "trial 0: expected one outcome, got 2"),
    "a negative price of a stage": (
        lambda: run().report(1.0, cost=-1),
        "trial 0: expected a cost of at least 0, got -1",
    ),
    "no report": (lambda: list(run()), r"trial 0: call report\(outcome\) at"),
    "items of epochs": (lambda: run().items, "trial 0: items: this study has no"),
    "too few items": (
        lambda: run(items=20).report([1.0]),
        "expected 2 outcomes, one for each item",
    ),
    "an item is a text": (
        lambda: run(items=20).report(["right", "wrong"]),
        "trial 0: an outcome: expected a number, got 'right'",
    ),
    "an item is nothing": (lambda: run(items=20).report([None] * 2), "an outcome.*got None"),
    "half an item": (lambda: run(items=2.5), "stages: items: expected a whole number.*got 2.5"),
    "told without stages": (
        lambda: [one.tell(one.ask(), 1.0) for one in [Study(space(), stages={"epochs": 9})]],
        "trial 0: expected its cost since its last report",
    ),
}

#: Parts of messages that no user can do anything with.
MACHINERY = ["line 1 column", "Some(", "Pending", "json", "invalid type", "unknown variant"]
MACHINERY += ["usize", "f64", "os error", "the study: "]


@pytest.mark.parametrize("mistake", REFUSED)
def test_a_mistake_is_answered_by_the_name_of_what_is_wrong(mistake):
    make, words = REFUSED[mistake]
    with pytest.raises(gittins.GittinsError, match=words) as caught:
        make()
    said = str(caught.value)
    for machinery in MACHINERY:
        assert machinery not in said, said


def test_what_is_meant_is_taken():
    found = (
        Space()
        .int("n", 1.0, 3.0)
        .float("x", 0, 1)
        .numbers("batch", (16, 32))
        .choice("solver", ("adam", "sgd"))
        .float("m", 0, 1, when={"n": [2.0, 3], "x": (0.25, None)})
    )
    one = Study(found, policy="ucb", seed=7.0, initial=2.0, cost_floor=1)
    for _ in range(4):
        ask = one.ask()
        assert isinstance(ask["n"], int)
        one.tell(ask, ask["x"])
    one.change_policy("thompson")
    one.withdraw(one.trials()[0])
    assert one.trials()[0].state == "withdrawn"


def test_scalars_and_arrays_of_numpy_are_what_they_hold():
    numpy = pytest.importorskip("numpy")
    found = (
        Space()
        .int("n", numpy.int64(1), numpy.int32(9))
        .float("x", numpy.float32(0.0), numpy.float64(1.0))
        .choice("k", numpy.array([1, 2, 3]))
        .flag("deep")
    )
    one = Study(found, seed=numpy.int64(3), cost=numpy.float64(2.0))
    values = {"n": numpy.int64(4), "x": numpy.float32(0.25), "k": numpy.int64(2)}
    number = one.enter({**values, "deep": numpy.bool_(True)}, numpy.float64(1.0))
    assert one.trials()[number].values == {"n": 4, "x": 0.25, "k": 2, "deep": True}
    assert type(one.trials()[number].values["k"]) is int
    with pytest.raises(errors.InvalidSettingError, match=r"'n'.*array"):
        one.enter({**values, "n": numpy.ones(2), "deep": True}, 1.0)
    with pytest.raises(errors.NonFiniteError, match="'x'"):
        one.enter({**values, "x": numpy.float32("inf"), "deep": True}, 1.0)
    with pytest.raises(errors.OutOfBoundsError, match=r"'k'.*array"):
        one.enter({**values, "k": numpy.ones(2), "deep": True}, 1.0)
