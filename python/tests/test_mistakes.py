"""The first mistakes of somebody who knows Optuna and not this package, and what is answered."""

from __future__ import annotations

import math

import pytest

import gittins
from gittins import Journal, LinearCost, Space, Study, errors, policy


def space():
    return Space().float("rate", 0.0, 1.0).choice("solver", ["adam", "sgd"])


def study(**settings):
    return Study(space(), **settings)


def asked(**settings):
    one = study(**settings)
    one.ask()
    return one


def staged(**stages):
    return study(stages=stages or {"epochs": 9}, budget=50.0)


def run(**stages):
    return staged(**stages).run()


def batches(prices):
    return Study(Space().choice("batch", [16, 32]), cost=LinearCost({"batch": prices}))


def branches():
    return Study(space().float("m", 0, 1, when={"solver": "sgd", "rate": (0.5, None)}))


class Opaque:
    """Something that nobody expects."""


REFUSED = [
    # What is searched.
    ("Space().float('x', 1, 0)", "'x'.*lower bound must be below.*1.0 and"),
    ("Space().float('x', math.nan, 1.0)", "'x': the lower bound.*nan"),
    ("Space().float('x', 0.0, math.inf)", "'x': the upper bound.*inf"),
    ("Space().float('x', '0', 1.0)", "'x': the lower bound.*got '0'"),
    ("Space().float('x', None, 1.0)", "'x'.*expected a number.*None"),
    ("Space().float('x', False, True)", "'x'.*expected a number, got F"),
    ("Space().int('n', 1.5, 3)", "'n'.*whole number, got 1.5"),
    ("Space().int('n', 1, '3')", "'n': the upper bound.*got '3'"),
    ("Space().int('n', 0, 10 ** 30)", "'n'.*2\\^49"),
    ("Space().int('n', 0, math.inf)", "'n'.*whole number.*inf"),
    ("Space().log_float('x', 0, 1)", "'x'.*positive on a log scale"),
    ("Space().log_int('n', 0, 9)", "'n'.*positive on a log"),
    ("Space().steps('x', 0, 1, 'a')", "'x': the step.*got 'a'"),
    ("Study(Space().steps('x', 0, 1, 0))", '"x".*step must be positive'),
    ("Space().numbers('x', 5)", "'x'.*list of numbers, got 5"),
    ("Space().numbers('x', [2, 1])", "'x'.*each above the one before"),
    ("Space().numbers('x', ['1', '2'])", "'x'.*number, got '1'"),
    ("Space().choice('x', 'adam')", "'x'.*list of values, got 'adam'"),
    ("Space().choice('x', {'a': 1})", "'x'.*list of values"),
    ("Space().choice('x', {'a', 'b'})", "'x': a set has no order"),
    ("Space().choice('x', [])", "'x': expected a value at least"),
    ("Space().choice('x', ['a', 'a'])", "'x': 'a' and 'a' are equal"),
    ("Space().choice('x', [1, True])", "'x': 1 and True are equal"),
    ("Space().ordinal('x', [1, 1.0])", "'x': 1 and 1.0 are equal"),
    ("Space().choice('x', [1.0, math.nan])", "'x': expected finite"),
    ("Space().choice('x', [(1, 2), (3,)])", "'x'.*a list is one"),
    ("Space().choice('x', [Opaque, 1])", "'x'.*is no value"),
    ("Space().flag('x').float('x', 0, 1)", "'x' is there already"),
    ("Space().float('', 0, 1)", "name of a parameter.*got ''"),
    ("Space().float(None, 0, 1)", "name of a parameter.*got None"),
    ("Space().float(3, 0, 1)", "name of a parameter.*got 3"),
    ("Space().constant('x', Opaque)", "'x'.*got <class"),
    # When a parameter exists.
    ("space().float('m', 0, 1, when='solver')", "'m': when: expected a dictionary.*'solver'"),
    ("Study(space().float('m', 0, 1, when={'solvr': 'sgd'}))", "'m'.*'solvr'.*you mean 'solver'"),
    ("space().float('m', 0, 1, when={'solver': 'sgdd'})", "'m'.*'solver'.*'sgdd'.*mean 'sgd'"),
    (
        "space().float('m', 0, 1, when={'solver': ('adam', 'sgd')})",
        "'m'.*bounds.*values are a list",
    ),
    ("space().float('m', 0, 1, when={'solver': (1, 2)})", "'m'.*bounds, and 'solver' is 'adam'"),
    ("space().float('m', 0, 1, when={'solver': []})", "'m'.*'solver'.*a value at least"),
    ("space().float('m', 0, 1, when={'rate': (None, None)})", "'m'.*'rate'.*two bounds"),
    ("space().float('m', 0, 1, when={'rate': (0.5, 0.1)})", "'m'.*'rate'.*lower bound is above"),
    ("space().at_most(['rate'], 1.0)", "at_most.*weights"),
    ("space().at_most({'rate': '1'}, 1.0)", "'rate'.*number, got '1'"),
    ("Space.from_data({'rate': [0, 1]})", "Space.to_data returned"),
    # How a study is set up.
    ("Study({'x': (0, 1)})", "space.*gittins.Space.*\\(dict\\)"),
    ("Study(Space)", "space.*expected a gittins.Space"),
    ("study(direction='maximise')", "did you mean 'maximize'"),
    ("study(direction=None)", "direction.*'minimize' or 'maximize', got None"),
    ("study(cost='learnt')", "cost.*did you mean 'learned'"),
    ("study(cost={'x': 1.0})", "cost: expected.*LinearCost.*got {'x'"),
    ("study(cost=LinearCost([('x', 1.0)]))", "cost: per_unit: expected a mapping"),
    ("study(cost=LinearCost({'x': '1'}))", "cost: per_unit: x: expected a number, got '1'"),
    ("study(cost=LinearCost({'x': {'a': '1'}}))", "per_unit: x: a: expected a number, got '1'"),
    ("batches({'16': 1.0})", "per_unit: batch: parameter 'batch': expected 16 or 32, got '16'"),
    ("batches({16: 1.0})", 'linear cost: "batch": expected a cost of 32'),
    ("study(cost=LinearCost({'rate': {True: 1.0}}))", '"rate" is a .*: expected one cost'),
    ("study(cost=LinearCost({'rate': {'a': 1.0}}))", '"rate" is a .*: expected one cost'),
    ("study(cost=LinearCost({'y': 1.0}))", 'linear cost: no parameter is named "y"'),
    ("study(cost=LinearCost({'x': 1.0}, fixed=math.nan))", "cost: fixed: expected a finite.*nan"),
    ("study(cost=True)", "cost: expected a number, got True"),
    ("study(cost=math.nan)", "cost: expected a finite number, got nan"),
    ("study(seed=-1)", "seed.*from 0 to 18446744073709551615, got -1"),
    ("study(seed=0.5)", "seed.*whole number.*got 0.5"),
    ("study(seed=2 ** 64)", "seed.*from 0 to"),
    ("study(seed='1')", "seed.*got '1'"),
    ("study(initial=-1)", "initial.*at least 0, got -1"),
    ("study(time_limit='1s')", "time_limit.*number, got '1s'"),
    ("study(cost_floor=math.inf)", "cost_floor.*finite.*inf"),
    ("study(cost_unit=1)", "cost_unit.*text, got 1"),
    ("study(policy='gittins')", r"'gittins' needs a price: gittins.policy.gittins\(price=...\)"),
    ("study(policy='log_eipc_cooled')", "needs a budget: gittins"),
    ("study(policy='gitins')", "'gitins'.*did you mean 'gittins'"),
    ("study(policy=0.001)", "expected a policy.*got 0.001"),
    ("study(policy=policy.ucb)", r"call gittins.policy.ucb\(\)"),
    ("study(policy=policy.Policy('tpe'))", "no policy is named 'tpe'"),
    ("study(policy=policy.Policy('gittins'))", r"'gittins'.*price.*gittins\(price=...\)"),
    ("Study(space().at_most({'solver': 1}, 1.0))", "weighted sum: 'solver' is 'adam' or 'sgd'"),
    ("Study(space().at_most({'rat': 1}, 1.0))", "mean 'rate'"),
    ("study(time_limit=-1)", "time_limit.*at least 0, got -1"),
    ("policy.gittins(0)", "price: expected a number above 0, got 0"),
    ("policy.gittins_decay(1.0, 1.0)", "factor.*above 1, got 1.0"),
    ("policy.gittins('cheap')", "gittins: price.*got 'cheap'"),
    ("policy.gittins(math.nan)", "gittins: price.*finite"),
    ("policy.knowledge_gradient(0.5)", "fantasies.*got 0.5"),
    # What is asked and told.
    ("study().ask(where={'solvr': 'sgd'})", "'solvr'.*there are.*did you mean 'solver'"),
    ("study().ask(where={'solver': 'sdg'})", "'solver': expected 'adam' or 'sgd', got 'sdg'$"),
    ("study().ask(where={'rate': '0.5'})", "'rate'.*expected a number, got '0.5'"),
    ("study().ask(where=['rate'])", "where: expected a dictionary"),
    ("study().ask(within='5')", "within.*number, got '5'"),
    ("study().ask_many(-1)", "count.*at least 0, got -1"),
    ("asked().tell(0, '0.5')", "trial 0: the outcome.*got '0.5'"),
    ("asked().tell(0, (0.5, 1.0))", "trial 0: the outcome.*got \\("),
    ("asked().tell(0, True)", "trial 0: the outcome.*got True"),
    ("asked().tell(0, None)", "trial 0: expected an outcome, or"),
    ("asked().tell(0, 1.0, failed=True)", "trial 0.*failed.*both"),
    ("asked().tell(0, 1.0, cost=1.0, cost_later=True)", "trial 0.*cost_later=True, got both"),
    ("asked().tell(0, failed='yes')", "trial 0: failed.*got 'yes'"),
    ("asked().tell('0', 1.0)", "trial: expected a whole number, got '0'"),
    ("asked().tell(-1, 1.0)", "trial -1: expected a trial or its number"),
    ("[one.tell(0, 1.5) for one in [asked()] * 2]", "trial 0: told before as complete, outcome 1"),
    ("asked().correct(0, 1.0)", "trial 0: it is pending"),
    ("study().enter([0.5, 'sgd'], 1.0)", "values.*dictionary.*\\[0.5"),
    ("study().enter({'rat': 0.5, 'solver': 'sgd'}, 1.0)", "'rat'.*did you mean 'rate'"),
    ("study().enter({'rate': 0.5, 'solver': 'SGD'}, 1.0)", "'solver'.*got 'SGD'.*you mean 'sgd'"),
    ("study().enter({'rate': 0.5}, 1.0)", "'solver': expected 'adam' or 'sgd', it is missing"),
    ("study().enter({'rate': 10 ** 400, 'solver': 'sgd'}, 1.0)", "'rate'.*finite number, got inf"),
    (
        "branches().enter({'rate': 0.75, 'solver': 'adam', 'm': 0.5}, 1.0)",
        "'m': it is given, and exists only if 'solver' is 'sgd' and 'rate' is at least 0.5",
    ),
    ("study().change_policy('log_eic')", "did you mean 'log_ei"),
    ("study().price_from_budget('9')", "budget.*number, got '9'"),
    ("study(direction='max')", "did you mean 'maximize'"),
    ("study(cost=len)", "cost: expected a number, 'learned', None"),
    ("study(stop=5)", "stop: expected the name of a stopping.*got 5"),
    ("study(stop={'window': 3})", "stop: expected 'name', it is"),
    ("study(stop={'name': 'stall', 'window': 'x'})", 'stop: window: expected a number, got "x"'),
    ("study(stop={'name': 'stall', 'windw': 3})", "windw.*did you mean .window"),
    ("study(stop=[])", "at least one stopping rule"),
    ("study(warping='halfrank')", r"^warping: expected one of.*got 'halfrank'; did you mean 'half"),
    ("study(standardize='yes')", 'standardize: expected True or False, got "yes"'),
    ("study(search={'points': 'many'})", 'search: points: expected a whole number of at.*"many"'),
    ("study(search={'points': -1})", "search: points.*got -1"),
    ("study(search=5)", "search: expected a dictionary.*got 5"),
    ("study(model={'kernel': 'rbff'})", "kernel.*did you mean 'rbf'"),
    ("study(model={'noise': -1})", "model: noise: expected a name, or a dictionary with one"),
    ("study(backend='cuda')", "backend.*'gpu'.*got 'cuda'"),
    ("study().ask_many(2, jointly='yes')", "jointly: expected True or False, got 'yes'"),
    ("Journal(None)", "path: expected the path of a file, got None"),
    ("Journal(space(), 'x')", r"path: expected.*got Space\("),
    (
        "Journal('no/such/folder', space())",
        "no/such/folder: the journal cannot be opened: No such file or directory$",
    ),
    ("Journal('no/such/file')", r"no/such/file: there is no such file; Journal\(path, space\) beg"),
    ("Journal(__file__)", "line 1: expected an operation of Optuna's journal as JSON$"),
    ("staged().ask(context={'solver': 'sgd'})", "in stages a request has a count.*no context"),
    ("study().tell(asked().ask(), 1.0)", "trial 1: expected one of"),
    ("asked().tell(0, 1.0, cost=-3.0)", "trial 0.*positive cost, got -3"),
    ("asked(cost='learned').tell(0, 1.0)", "trial 0: expected the cost of a complete trial"),
    ("asked().tell(0, -math.inf)", "the outcome.*finite.*got -inf"),
    ("asked().tell(5, 1.0)", "trial 5: expected one of the 1 trials"),
    # Runs in stages, and items.
    ("study().run()", r"run: this study has no stages"),
    ("run(epochs='27')", "stages: epochs: expected a whole number.*got '27'"),
    ("run(epochs=9, folds=3)", "stages: expected {'epochs': 27}.*got"),
    ("run(epoch=9)", "stages: expected {'epochs': 27}.*'epoch': 9"),
    ("run(epochs=9, repeats='yes')", "stages: repeats: expected True or False, got 'yes'"),
    ("run(epochs=9, reports=[3, 2])", "report 2: expected a progress ab"),
    ("run(epochs=9, reports={3: 0.5, 9: 0.2})", "stages: reports: expected a list of numbers,"),
    ("Space().numbers('n', {1: 'a', 2: 'b'})", "parameter 'n': expected a list of numbers,"),
    ("Space().sum_to({'a': 2.0, 'b': 3.0}, 1.0)", r"sum_to: expected names that d.*got {'a': 2.0"),
    ("run().report('0.5')", "trial 0: the outcome.*number, got '0.5'"),
    ("run().report(None)", "trial 0: the outcome.*number, got None"),
    ("run().report(math.nan)", "trial 0: the outcome.*finite.*nan"),
    ("run().report([1.0, 2.0])", "trial 0: the outcome: expected a number, got \\[1.0"),
    ("run().report(numpy.array([0.5]))", r"trial 0: the outcome.*got array\(\[0.5"),
    ("run().report({0: 0.5})", "trial 0: the outcome: expected a number, got {0"),
    ("run().report(1.0, cost=-1)", "trial 0: expected a cost of at least 0, got -1"),
    ("list(run())", r"trial 0: call report\(outcome\) at"),
    ("run().items", "trial 0: items: this study has no"),
    ("run(items=20).report([1.0])", "expected 2 outcomes, one for each item"),
    ("run(items=20).report(['right', 'wrong'])", "trial 0: an outcome: expected a number.*'right'"),
    ("run(items=20).report([None] * 2)", "an outcome.*got None"),
    ("run(items=2.5)", "stages: items: expected a whole number.*got 2.5"),
    ("asked(stages={'epochs': 9}).tell(0, 1.0)", "trial 0: expected its cost since its last rep"),
]

#: Parts of messages that no user can do anything with.
MACHINERY = ["line 1 column", "Some(", "Pending", "json", "invalid type", "unknown variant"]
MACHINERY += ["usize", "f64", "os error", "the study: "]


NAMES = {**globals(), "math": math, "policy": policy, "Journal": Journal}


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_a_mistake_is_answered_by_the_name_of_what_is_wrong(call, words):
    names = {**NAMES, "numpy": pytest.importorskip("numpy")} if "numpy" in call else NAMES
    with pytest.raises(gittins.GittinsError, match=words) as caught:
        eval(call, names)
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
