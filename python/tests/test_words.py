"""The first words of somebody who knows another tuner: they work, or are answered by name."""

from __future__ import annotations

import concurrent.futures
import copy
import inspect
import multiprocessing
import pickle

import pytest

import gittins
from gittins import Journal, Space, Study, errors, policy


def space():
    return Space().float("x", 0.0, 1.0)


def asked():
    return Study(space()).ask()


def staged():
    return Study(space(), stages={"epochs": 9}, budget=9.0)


def run():
    return staged().run()


def told():
    study = Study(space(), seed=1)
    study.tell(study.ask(), 0.5)
    return study


ANSWERED = [
    # What a study does.
    ("told().best_trials", r"here it is study.front\(\)"),
    ("told().pareto_front", r"here it is study.front\(\)"),
    ("told().enqueue_trial({'x': 1})", r"study.announce\(values\)"),
    ("told().add_trial({'x': 1})", r"study.enter\(values, outcome\)"),
    ("told().trials_dataframe()", r"pandas.DataFrame\(study.record\(\)\)"),
    ("told().to_pandas()", r"pandas.DataFrame\(study.record\(\)\)"),
    ("told().stop()", "study.verdict"),
    ("told().should_stop()", r"study.verdict\(\), which is true"),
    ("told().should_prune", "stages= of gittins.Study"),
    ("told().user_attrs", "measured= of study.tell"),
    ("told().verdikt()", "'verdikt'; did you mean 'verdict'"),
    ("told().best_config", "Study has no attribute 'best_config'$"),
    ("Study.load('x')", r"Study has no attribute 'load'; here it is gittins.Journal\(path\)"),
    ("Journal.load('x')", r"Journal has no attribute 'load'; here it is gittins.Journal\(path\)"),
    ("Table.read_csv('x')", r"here it is gittins.Table.from_csv\(path\)"),
    # What is asked for and told.
    ("asked().suggest_float('x', 0, 1)", r"ask\[name\]"),
    ("asked().params", r"dict\(ask\)"),
    ("asked().number", r"ask.trial"),
    ("asked().x", r"Ask has no attribute 'x'; here it is ask\['x'\]"),
    ("run().suggest_float('x', 0, 1)", r"here it is run\[name\]"),
    ("run().tell(1.0)", r"here it is run.report\(outcome\)"),
    ("run().should_prune()", "the advice that run.report returns"),
    ("told().best().params", r"trial.values"),
    ("told().recommendation().value", r"trial.outcome"),
    ("told().tell(0, value=1.0)", "tell: 'value' is no setting; here it is 'outcome'"),
    ("told().tell(0, values=[1.0])", r"tell: 'values' is no setting; .*measured={...}"),
    ("told().tell(0, state='FAIL')", "tell: 'state' is no setting; failed=True"),
    ("told().enter({'x': 0.5}, value=1.0)", "enter: 'value' is no setting; here it is 'outcome'"),
    ("told().ask(n=3)", "ask: 'n' is no setting; here it is 'count'"),
    ("told().ask(withn=3)", "ask: 'withn' is no setting; there are.*did you mean 'within'"),
    ("told().optimize(square, callbacks=[])", "optimize: 'callbacks' is no setting; a loop"),
    ("told().optimize(square, n_jobs=2)", "optimize: 'n_jobs' is no setting; several threads"),
    ("told().minimize(square, show_progress_bar=True)", r"'show_pro.*; print\(study\)"),
    # What is searched.
    ("Space().uniform('x', 0, 1)", r"here it is float\(name, low, high\)"),
    ("Space().suggest_categorical", r"here it is choice\(name, values\)"),
    ("Space().powers_of_two('x', 16, 64)", r"here it is numbers\(name, \[16, 32, 64\]\)"),
    ("Space().chioce('x', ['a'])", "did you mean 'choice'"),
    # What the package has.
    ("gittins.create_study()", r"here it is gittins.Study\(space\)"),
    ("gittins.load_study", r"here it is gittins.Journal\(path\)"),
    ("gittins.fmin", r"gittins.Study\(space\), and study.optimize\(f, n_trials"),
    ("gittins.Float", r"here it is gittins.Space\(\).float\(name, low, high\)"),
    ("gittins.Stuudy", "gittins has no attribute 'Stuudy'; did you mean 'Study'"),
    ("policy.logei", "did you mean 'log_ei'"),
    ("gittins.GitinsSampler", "did you mean 'GittinsSampler'"),
    # How a study is set up.
    ("Study(space(), lambda_=0.001)", "Study: 'lambda_' is no setting; here it is 'price'"),
    ("Study(space(), points_to_evaluate=[])", "here it is 'first'"),
    ("Study(space(), n_iter=9)", "here it is 'n_trials'"),
    ("Study(space(), sampler='tpe')", "here it is 'policy'"),
    ("Study(space(), storage='sqlite:///x')", r"gittins.Journal\(path, space\) is a study in"),
    ("Study(space(), directions=['minimize'] * 2)", "here it is 'objectives'"),
    ("Study(space(), n_startup_trials=9)", "here it is 'initial'"),
    ("Study(space(), random_state=9)", "here it is 'seed'"),
    ("Study(space(), epochs=9)", "Study: 'epochs' is no setting; here it is 'stages'"),
    ("Study(space(), patience=9)", "'patience' is no setting; stop={'name': 'stall'"),
    ("Study(space(), constant_liar=True)", "is no setting; trials that are under way"),
    ("Study(space(), polcy=1)", "'polcy' is no setting; there are.*did you mean 'policy'"),
    ("Study(space(), stagse={'epochs': 9})", "did you mean 'stages'"),
    ("Journal('no file', space(), lam=1)", "Journal: 'lam' is no setting; here it is 'price'"),
    ("Journal('no file', folds=9)", "Journal: .*'stages'"),
    ("Study(space(), policy='pbgi')", "here it is 'gittins'"),
    ("Study(space(), stop=['pbgi'])", "here it is 'gittins'"),
    ("Study(space(), stop='patience')", "here it is 'stall'"),
    ("Study(space(), stop={'name': 'early_stopping', 'window': 3})", "here it is 'stall'"),
    ("Study(space(), stop='stal')", 'did you mean "stall"'),
    ("Study(space(), stages={'epoch': 9})", "did you mean 'epochs'"),
    ("Study(space(), stages={'max_epochs': 9})", "here it is 'epochs'"),
    ("Study(space(), 'min')", "did you mean 'minimize'"),
]


@pytest.mark.parametrize(("call", "words"), ANSWERED)
def test_a_word_of_another_tuner_is_answered_by_ours(call, words):
    expected = (AttributeError, TypeError, errors.InvalidSettingError)
    with pytest.raises(expected, match=words):
        eval(call, {**globals(), "Table": gittins.Table})


def test_constructors_still_say_what_they_take():
    assert "n_trials" in inspect.signature(Study).parameters
    with pytest.raises(TypeError, match="space"):
        Study()
    assert not hasattr(Study(space()), "best_config")
    assert not hasattr(gittins, "create_study")
    # What asks for special methods gets none.
    assert copy.deepcopy(asked()) == asked()
    assert pickle.loads(pickle.dumps(told().best())) == told().best()


def square(values):
    return (values["x"] - 0.3) ** 2


def test_a_study_is_optimized_until_it_ends():
    study = Study(space(), seed=1)
    study.optimize(square, n_trials=9)
    study.minimize(square, n_trials=1)
    assert [trial.state for trial in study.trials] == ["complete"] * 10
    assert study.best_value == study.best().outcome == square(study.best_params) < 0.01
    assert study.best_trial == study.best()
    with pytest.raises(
        errors.InvalidSettingError, match=r"maximize: this study is to minimize: St"
    ):
        study.maximize(square, n_trials=1)
    study = Study(space(), "maximize", price=0.01, n_trials=30)
    study.maximize(lambda values: -square(values))
    assert study.verdict()
    count = len(study.trials)
    study.optimize(square)
    assert len(study.trials) == count
    study = Study(space())
    study.optimize(square, timeout=0)
    study.optimize(square, n_trials=0)
    assert len(study.trials) == 0
    study = Study(gittins.Table({"x": [0.0, 1.0, 0.25]}), incumbent="best_outcome")
    study.optimize(square, n_trials=9)
    assert study.best_params == {"x": 0.25}
    assert len(study.trials) == 3


@pytest.mark.parametrize(
    ("settings", "found", "told"),
    [
        ({}, 0.5, ("complete", 0.5, 1.0)),
        ({"cost": "learned"}, (0.5, 3.0), ("complete", 0.5, 3.0)),
        ({"cost": "learned"}, 0.5, ("complete", 0.5, "seconds")),
        (
            {"cost": "learned", "cost_unit": "EUR"},
            {"outcome": 2, "cost": 3},
            ("complete", 2.0, 3.0),
        ),
        ({}, float("nan"), ("failed", None, 1.0)),
        ({"cost": "learned"}, (float("inf"), 2.0), ("failed", None, 2.0)),
        ({}, {"failed": True}, ("failed", None, 1.0)),
        (
            {"limits": {"ms": {"at_most": 9}}},
            {"outcome": 1, "measured": {"ms": 3}},
            ("complete", 1.0, 1.0),
        ),
    ],
)
def test_an_objective_returns_what_is_told(settings, found, told):
    study = Study(space(), **settings)
    study.optimize(lambda values: found, n_trials=1)
    (trial,) = study.trials
    cost = "seconds" if told[2] == "seconds" and 0.0 < trial.cost < 1.0 else trial.cost
    assert (trial.state, trial.outcome, cost) == told


@pytest.mark.parametrize(
    ("settings", "found", "words"),
    [
        ({}, None, "trial 0: expected an outcome"),
        ({}, "0.5", "the outcome: expected a number, got '0.5'"),
        ({}, {"value": 0.5}, "what the objective returned: unknown key 'value'"),
        ({"cost": "learned", "cost_unit": "EUR"}, 0.5, "cost"),
        ({"objectives": {"ms": "minimize"}}, (0.5, 3.0), "ms"),
    ],
)
def test_what_an_objective_returned_wrongly_is_said_and_is_a_failure(settings, found, words):
    study = Study(space(), **settings)
    with pytest.raises(errors.GittinsError, match=words):
        study.optimize(lambda values: found, n_trials=3)
    assert [trial.state for trial in study.trials] == ["failed"]


def test_an_exception_is_a_failure_and_an_interruption_none():
    def broken(error):
        raise error

    study = Study(space())
    with pytest.raises(ZeroDivisionError):
        study.optimize(lambda values: 1 / 0, n_trials=3)
    study.optimize(lambda values: 1 / 0, n_trials=2, catch=ArithmeticError)
    study.optimize(lambda values: 1 / 0, n_trials=1, catch=[ValueError, ZeroDivisionError])
    with pytest.raises(ZeroDivisionError):
        study.optimize(lambda values: 1 / 0, n_trials=1, catch=(ValueError,))
    with pytest.raises(KeyboardInterrupt):
        study.optimize(lambda values: broken(KeyboardInterrupt), n_trials=3)
    assert [trial.state for trial in study.trials] == ["failed"] * 5 + ["withdrawn"]
    with pytest.raises(AttributeError, match=r"here it is ask\[name\]"):
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)


UNENDED = [
    ("Study(space()).optimize(square)", "optimize: expected n_trials or timeout: no verd"),
    ("Study(space()).optimize(3, n_trials=1)", "optimize: expected a function of the val"),
    ("Study(space()).optimize(square, -1)", "n_trials: expected a whole number of at le"),
    ("Study(space()).optimize(square, timeout='1')", "timeout: expected a number, got '1'"),
    ("staged().optimize(square, 3)", r"optimize: .* has stages: `with study.run\(\) as run`"),
    ("Study(space()).best_value", "best_value: no trial has an outcome that counts yet"),
    ("Study(space()).best_params", "best_params: no trial has an outcome that counts yet"),
    ("fronted().best_trial", r"best_trial: several objectives have no best.*study.front"),
]


@pytest.mark.parametrize(("call", "words"), UNENDED)
def test_what_cannot_be_optimized_is_said(call, words):
    with pytest.raises(errors.GittinsError, match=words):
        eval(call, globals())


def fronted():
    study = Study(space(), objectives={"ms": "minimize"})
    study.optimize(lambda values: {"outcome": 1.0, "measured": {"ms": 2.0}}, n_trials=3)
    return study


def test_the_best_of_a_study_in_branches_and_in_stages():
    branches = Space().choice("k", [None, 3]).float("m", 0.0, 1.0, when={"k": 3}).int("n", 1, 9)
    study = Study(branches)
    study.enter({"k": None, "n": 2}, 0.5)
    assert study.best_params == {"k": None, "n": 2}
    study = Study(space(), stages={"epochs": 9, "any_stage_counts": True}, budget=9.0)
    with study.run() as run:
        for _ in run:
            run.report(0.25, cost=1.0)
    assert study.best_value == 0.25


def test_a_count_asks_for_several():
    study = Study(space(), seed=1)
    assert study.ask(3) == Study(space(), seed=1).ask_many(3)
    assert study.ask(1, where={"x": (0.5, None)})[0]["x"] >= 0.5
    with pytest.raises(
        errors.InvalidSettingError, match=r"count: expected a whole number.*got 1.5"
    ):
        study.ask(1.5)


def test_a_dictionary_is_a_space():
    short = {"a": (0, 1), "b": (0.0, 2.0), "c": (1, 9), "d": (0, 2.5), "k": ["a", None], "n": [3]}
    long = Space().float("a", 0, 1).float("b", 0, 2).int("c", 1, 9).float("d", 0, 2.5)
    assert Space(short) == long.choice("k", ["a", None]).choice("n", [3])
    assert Space({}) == Space()
    for wrong, words in [
        ([("x", 0, 1)], "space: expected parameters by their names, like {'x': "),
        ({"x": 3}, "parameter 'x': expected two bounds or a list, like {'x': .*, got 3"),
        ({"x": (0, 1, 2)}, "parameter 'x': expected two bounds or a list"),
        ({"x": {"low": 0}}, "parameter 'x': expected two bounds or a list"),
        ({"x": ("a", "b")}, "parameter 'x': a bound: expected a number, got 'a'"),
        ({"x": (2.0, 1.0)}, "parameter 'x': the lower bound must be below"),
        ({3: (0, 1)}, "the name of a parameter: expected a text, got 3"),
    ]:
        with pytest.raises(errors.GittinsError, match=words):
            Space(wrong)


def test_trials_may_be_read_without_a_call():
    study = told()
    assert study.trials == study.trials()
    assert len(study.trials) == 1
    assert study.trials[0].outcome == 0.5
    assert [trial.state for trial in study.trials] == ["complete"]


def test_a_scale_and_steps_are_arguments_too():
    short = Space().float("a", 1e-3, 1.0, log=True).int("b", 1, 64, log=True)
    long = Space().log_float("a", 1e-3, 1.0).log_int("b", 1, 64)
    assert short == long
    assert Space().float("a", 0.0, 1.0, step=0.25) == Space().steps("a", 0.0, 1.0, 0.25)
    assert Space().int("n", 2, 10, step=1) == Space().int("n", 2, 10)
    assert Space().float("a", 0.0, 1.0, log=False, step=None) == Space().float("a", 0.0, 1.0)


def test_whole_steps_are_whole_numbers(tmp_path):
    path = tmp_path / "study.journal"
    study = Journal(path, Space().int("n", 2, 11, step=3).float("x", 0, 1, step=0.5), seed=1)
    for _ in range(8):
        ask = study.ask()
        assert ask["n"] in (2, 5, 8, 11)
        assert isinstance(ask["n"], int)
        assert isinstance(ask["x"], float)
        study.tell(ask, float(ask["n"]))
    again = Journal(path)
    assert all(isinstance(trial.values["n"], int) for trial in again.trials())
    assert all(isinstance(n, int) for n in again.record()["n"])
    assert again.best().values["n"] == 2
    assert again.enter({"n": 5, "x": 0.5}, 1.0) == 8


@pytest.mark.parametrize(
    ("add", "words"),
    [
        ("float('x', 1, 2, log=True, step=0.5)", "'x': expected a log scale or steps"),
        ("int('x', 1, 9, log=True, step=2)", "'x': expected a log scale or steps"),
        ("int('x', 1, 9, step=0)", "'x': the step.*at least 1, got 0"),
        ("int('x', 1, 9, step=1.5)", "'x': the step.*whole number.*got 1.5"),
        ("int('x', 1, 9, step=None)", "'x': the step.*got None"),
        ("float('x', 1, 2, log='yes')", "'x': log: expected True or False, got 'yes'"),
        ("int('x', 0, 2, log=True)", "'x'.*positive on a log scale"),
    ],
)
def test_a_scale_or_steps_that_make_no_sense_are_refused(add, words):
    with pytest.raises(errors.InvalidSettingError, match=words):
        eval(f"Space().{add}")


def test_a_price_is_a_setting_and_is_the_index_at_it():
    def run(**settings):
        study = Study(space(), initial=3, seed=2, **settings)
        while not study.verdict():
            ask = study.ask()
            study.tell(ask, (ask["x"] - 0.3) ** 2)
        return [trial.values["x"] for trial in study.trials()]

    points = run(price=1e-2)
    assert points == run(policy=policy.gittins(1e-2))
    assert points == run(policy="gittins", price=1e-2)
    assert points == run(price=1e-2, n_trials=99, expected_trials=None)
    assert len(run(price=1e-9, n_trials=5)) == 5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"price": 0}, "price: expected a number above 0, got 0"),
        ({"price": "cheap"}, "price: expected a number, got 'cheap'"),
        ({"price": True}, "price: expected a number, got True"),
        ({"price": 1, "policy": policy.gittins(1)}, "price and policy: expected one of them"),
        (
            {"price": 1, "policy": "log_ei"},
            "price and policy: expected one of them, got both: price=1",
        ),
        ({"price": 1, "policy": "gitins"}, "did you mean 'gittins'"),
        ({"n_trials": 0}, "n_trials: expected a whole number from 1 to 4294967295, got 0"),
        ({"n_trials": 10**30}, "n_trials: expected a whole number from 1"),
        ({"n_trials": 1.5}, "n_trials: expected a whole number"),
        ({"n_trials": "many"}, "n_trials.*got 'many'"),
    ],
)
def test_a_price_or_a_number_of_trials_that_makes_no_sense_is_named(settings, message):
    with pytest.raises(errors.InvalidSettingError, match=message):
        Study(space(), **settings)


@pytest.mark.parametrize("most", [1, 3, 6])
@pytest.mark.parametrize(
    "settings",
    [
        lambda most: {"n_trials": most},
        lambda most: {"stop": {"name": "trial_limit", "trials": most}},
        lambda most: {"stop": ["stall", {"name": "trial_limit", "trials": most}]},
        lambda most: {"n_trials": most, "stop": {"name": "stall", "window": 40}},
        lambda most: {"n_trials": most, "price": 1e-12},
        lambda most: {"n_trials": most, "budget": 1e6},
    ],
)
def test_a_limit_of_trials_counts_the_initial_design(most, settings, tmp_path):
    for study in (
        Study(space(), initial=4, seed=1, **settings(most)),
        Journal(tmp_path / "study.journal", space(), initial=4, seed=1, **settings(most)),
    ):
        study.enter({"x": 0.125}, 0.5)
        while not study.verdict():
            ask = study.ask()
            study.tell(ask, failed=True) if ask.trial == 2 else study.tell(ask, -ask.trial)
        assert len(study.trials()) == most + 1
        words = f"stop: {most} of {most} trials were told; 1 imported ones do not count"
        assert str(study.verdict()) == words


def test_a_limit_of_trials_holds_beside_trials_under_way():
    study = Study(space(), n_trials=7, seed=1)
    asks = []
    while not study.verdict(on_another=True):
        asks += study.ask_many(1)
        if len(asks) > 2:
            study.tell(asks.pop(0), 1.0)
    assert str(study.verdict(on_another=True)) == "stop: 7 of 7 trials were told or are pending"
    for ask in asks:
        study.tell(ask, 1.0)
    assert len(study.trials()) == 7
    assert str(study.verdict()) == "stop: 7 of 7 trials were told"


def told_from(study):
    ask = study.ask()
    study.tell(ask, ask["x"])
    return study.names


def test_a_study_in_a_file_goes_to_a_pool_of_processes(tmp_path):
    study = Journal(tmp_path / "study.journal", space(), seed=1, name="mine")
    again = pickle.loads(pickle.dumps(study))
    assert again.space == study.space
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(told_from, study).result(timeout=60) == ["x"]
    study.sync()
    assert len(study.trials) == 1


@pytest.mark.parametrize("name", [None, "first"])
def test_a_pickle_keeps_which_study_of_its_file_it_is(tmp_path, name):
    study = Journal(tmp_path / "study.journal", space(), name=name)
    pickled = pickle.dumps(study)
    study.enter({"x": 0.5}, 1.0)
    other = Journal(tmp_path / "study.journal", space(), name="other")
    for one in (pickled, pickle.dumps(study), pickle.dumps(pickle.loads(pickled))):
        assert len(pickle.loads(one).trials) == 1
    assert len(pickle.loads(pickle.dumps(other)).trials) == 0


def test_a_study_in_memory_that_is_pickled_says_which_can_be():
    with pytest.raises(TypeError, match=r"cannot be pickled; gittins.Journal\(path, space\)"):
        pickle.dumps(Study(space()))


def test_names_of_what_needs_another_library_are_found_where_one_looks():
    optuna = pytest.importorskip("optuna")
    assert optuna is not None
    assert gittins.GittinsSampler is gittins.optuna.GittinsSampler
    assert gittins.GittinsStop is gittins.optuna.GittinsStop
    assert gittins.GittinsPruner is gittins.optuna.GittinsPruner
    with pytest.raises(TypeError, match=r"GittinsSampler: 'lambda_' is no setting.*'price'"):
        gittins.GittinsSampler(lambda_=1e-3)
    with pytest.raises(TypeError, match=r"GittinsSampler: 'n_trials'.*study.optimize"):
        gittins.GittinsSampler(n_trials=9)
    with pytest.raises(TypeError, match=r"GittinsSampler: 'initial'.*'n_startup_trials'"):
        gittins.GittinsSampler(initial=9)
    with pytest.raises(TypeError, match=r"GittinsStop: 'rule' is no setting.*'price'"):
        gittins.GittinsStop(rule="gittins")
    with pytest.raises(TypeError, match=r"GittinsPruner: 'lam' is no setting.*'price'"):
        gittins.GittinsPruner(lam=1e-3)
