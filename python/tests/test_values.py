"""Choices may be any values, and come back as they were given."""

from __future__ import annotations

import json

import pytest

import gittins
from gittins import Space, errors
from gittins._names import name_of, value_of

MIXED = [None, True, False, 2, 2.5, "2", "", "=2", "=", "= 2", [64, 64], [], {"b": 1, "a": [None]}]


def mixed():
    return (
        Space()
        .float("x", 0.0, 1.0)
        .choice("k", [1, 2, 3])
        .choice("any", MIXED)
        .ordinal("deep", [False, None, 7])
        .constant("fixed", [1, "a"])
        .float("m", 0.0, 1.0, when={"k": [2, 3]})
        .choice("late", [None, "a"], when={"any": [None, [64, 64]]})
    )


def asked(study, trials):
    for _ in range(trials):
        ask = study.ask()
        study.tell(ask, ask["x"] + ask["k"])
    return [trial.values for trial in study.trials()]


def same(one, other):
    """Whether two are equal and of the same types."""
    return one == other and type(one) is type(other)


def test_the_values_of_choices_come_back_as_they_were_given():
    study = gittins.Study(mixed(), seed=3)
    for values in asked(study, 24):
        assert any(same(values["k"], known) for known in [1, 2, 3])
        assert any(same(values["any"], known) for known in MIXED)
        assert values["deep"] in (False, None, 7)
        assert values["fixed"] == [1, "a"]
        assert (values["m"] is None) == (values["k"] == 1)
    assert study.best().values["k"] == 1
    assert study.recommendation().values["k"] == 1
    assert study.recommendation()["k"] == study.best()["k"] == 1
    with pytest.raises(errors.UnknownParameterError, match=r"'deeep'; there.*you mean 'deep'"):
        study.recommendation()["deeep"]
    assert "k = 1" in study.recommendation().words
    assert "=1" not in study.recommendation().words
    assert study.record()["any"] == [trial.values["any"] for trial in study.trials()]
    seen = [trial.values["any"] for trial in study.trials()]
    assert any(isinstance(value, list) for value in seen)


def test_a_file_gives_the_same_values_back(tmp_path):
    path = tmp_path / "study.journal"
    before = asked(gittins.Journal(path, mixed(), seed=3), 12)
    again = gittins.Journal(path)
    after = [trial.values for trial in again.trials()]
    assert json.dumps(after) == json.dumps(before)
    assert again.space == mixed()
    # It goes on with them, and with a space that says the same.
    assert again.ask()["k"] in (1, 2, 3)
    assert gittins.Journal(path, mixed(), seed=3).trials()[-1].values["k"] in (1, 2, 3)


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_optuna_and_a_study_of_the_same_file_see_the_same_values(tmp_path):
    optuna = pytest.importorskip("optuna")
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    choices = {"k": [1, 2, 3], "n": [None, True, "1", 2.5]}

    def objective(trial):
        trial.suggest_categorical("n", choices["n"])
        return trial.suggest_float("x", 0.0, 1.0) + trial.suggest_categorical("k", choices["k"])

    def optimize(path):
        storage = JournalStorage(JournalFileBackend(str(path)))
        sampler = optuna.samplers.RandomSampler(seed=1)
        study = optuna.create_study(
            storage=storage, study_name="study", sampler=sampler, load_if_exists=True
        )
        study.optimize(objective, n_trials=5)
        return [trial.params for trial in study.trials]

    def space():
        found = Space().float("x", 0.0, 1.0)
        return found.choice("k", choices["k"]).choice("n", choices["n"])

    ours, theirs = tmp_path / "study.journal", tmp_path / "other.journal"
    journal = gittins.Journal(ours, space())
    journal.tell(journal.ask(), 1.0)
    found = optimize(ours)
    journal.sync()
    assert found == [trial.values for trial in journal.trials()]
    assert len(found) == 6
    found = optimize(theirs)
    journal = gittins.Journal(theirs, space())
    assert found == [trial.values for trial in journal.trials()]
    assert journal.ask()["k"] in choices["k"]
    assert [trial.values for trial in gittins.Journal(theirs).trials()][:5] == found


def test_another_space_than_that_of_the_file_is_refused_by_what_differs(tmp_path):
    path = tmp_path / "study.journal"

    def space(k=(1, 2, 3), when=(2, 3)):
        return Space().choice("k", k).float("m", 0.0, 1.0, when={"k": list(when)})

    gittins.Journal(path, space())
    for other, words in (
        (
            space(k=[1, 2, 3, "4"]),
            r'names of the parameter "k" is \[1, 2, 3\] in the journal, and \[1, 2, 3, "4"\] here',
        ),
        (space(when=[2]), r'when of the parameter "m" is \{ k = \[2, 3\] \} in the journal'),
        (space().flag("deep"), 'the parameter "deep" is here, and not in the journal'),
        (space().at_most({"m": 1.0}, 0.5), "is none in the journal, and 1 m <= 0.5 here"),
    ):
        with pytest.raises(errors.InvalidSettingError, match=words):
            gittins.Journal(path, other)


def test_a_list_of_texts_stands_in_the_file_as_it_is(tmp_path):
    path = tmp_path / "study.journal"
    texts = ["adam", "1", "true", "=", "==", "=x", "= 1", ""]
    study = gittins.Journal(path, Space().choice("k", texts).float("x", 0.0, 1.0))
    data = study.space.to_data()["parameters"][0]
    assert data == {"name": "k", "kind": {"choice": {"names": texts}}}
    assert json.dumps(texts)[1:-1] in path.read_text().replace('","', '", "')


@pytest.mark.parametrize(
    "value", [*MIXED, "=null", '="a"', '="=1"', "=[1, 2]", 1e300, -0.5, 10**40]
)
def test_a_name_is_one_of_a_single_value(value):
    name = name_of("it", value)
    assert same(value_of(name), value)
    assert name_of("it", value_of(name)) == name
    others = [other for other in [*MIXED, "=1", "=null", '="=1"'] if not same(other, value)]
    assert name not in [name_of("it", other) for other in others]


@pytest.mark.parametrize("name", ["=1e-5", "=1e16", "=[1,2.50]", '={"b":1,"a":null}'])
def test_names_that_others_gave_are_those_of_their_values(name):
    value = json.loads(name[1:])
    for kind in ("choice", "ordinal"):
        data = {"parameters": [{"name": "k", "kind": {kind: {"names": [name, "a"]}}}]}
        study = gittins.Study(Space.from_data(data).float("x", 0.0, 1.0))
        assert study.enter({"k": value, "x": 0.5}, 1.0) == 0
        assert study.ask(where={"k": [value]})["k"] == value
        assert study.best().values["k"] == value
    # A text that looks like one stays a text.
    assert value_of(name_of("it", name)) == name


@pytest.mark.parametrize(
    "prices", [{16: 1.0, None: 2.0, True: 4.0, "16": 8.0, (1, 2): 16.0}, {"a": 1.0, "b": 2.0}]
)
def test_a_price_is_that_of_a_value(prices):
    values = [list(value) if isinstance(value, tuple) else value for value in prices]
    space = Space().choice("k", values).float("x", 0.0, 1.0)
    study = gittins.Study(space, cost=gittins.LinearCost({"k": prices}, fixed=1.0), price=1.0)
    for value, price in zip(values, prices.values()):
        before = study.total_cost
        study.enter({"k": value, "x": 0.5}, 1.0)
        assert study.total_cost - before == 1.0 + price


@pytest.mark.parametrize("value", [16, "16", None, [16], True])
def test_a_study_begins_with_the_values_of_the_user(value):
    space = Space().choice("k", [16, "16", None, [16], True]).float("x", 0.0, 1.0)
    first = [{"k": value, "x": 0.25}]
    assert same(gittins.Study(space, first=first).ask()["k"], value)
    earlier = gittins.Study(space)
    earlier.enter(first[0], 1.0)
    found = gittins.warm_start(space, [earlier], 1)
    assert found == first
    assert same(found[0]["k"], value)
    assert earlier.enter(found[0], 1.0) == 1


def test_values_are_given_by_themselves():
    study = gittins.Study(mixed(), seed=1)
    asked(study, 2)
    assert study.ask(where={"k": 2})["k"] == 2
    assert study.ask(where={"k": [1, 3], "any": [None, "2"]})["any"] in (None, "2")
    assert study.ask(where={"any": [[64, 64]]})["any"] == [64, 64]
    assert study.ask(where={"any": None, "late": None})["any"] is None
    point = {"x": 0.5, "k": 1.0, "any": 2, "deep": 7, "fixed": [1, "a"]}
    number = study.enter(point, 1.0)
    assert same(study.trials()[number].values["any"], 2)
    assert same(study.trials()[number].values["k"], 1)
    for wrong in (True, "1", 4):
        with pytest.raises(errors.OutOfBoundsError, match=r"'k': expected one of \[1, 2, 3\], got"):
            study.enter({**point, "k": wrong}, 1.0)


def test_none_is_a_value_where_the_parameter_exists():
    study = gittins.Study(mixed(), seed=1)
    point = {"x": 0.5, "k": 1, "any": [64, 64], "deep": None, "fixed": [1, "a"], "late": None}
    study.enter(point, 1.0)
    study.enter({**point, "any": "2"}, 1.0)
    # What one study has another takes.
    other = gittins.Study(mixed())
    for trial in study.trials():
        other.enter(trial.values, trial.outcome)
    assert [trial.values for trial in other.trials()] == [trial.values for trial in study.trials()]
    # A point that was asked for tells both apart.
    ask = study.ask(where={"any": [[64, 64]], "late": None})
    assert "late" in ask
    assert ask["late"] is None
    assert ask.get("late", "a") is None
    ask = study.ask(where={"any": True})
    assert "late" not in ask
    assert ask.get("late", "a") == "a"


def test_a_stream_of_arrow_has_the_values():
    pyarrow = pytest.importorskip("pyarrow")
    study = gittins.Study(mixed(), seed=3)
    asked(study, 9)
    record = study.record()
    table = pyarrow.RecordBatchReader.from_stream(record).read_all()
    assert str(table.schema.field("k").type) == "int64"
    assert table["k"].to_pylist() == record["k"]
    assert table["fixed"].to_pylist() == ['[1, "a"]'] * 9


def test_a_value_implies_the_branch_in_which_its_parameter_exists():
    space = (
        Space()
        .choice("solver", ["adam", "sgd"])
        .int("depth", 1, 9)
        .float("momentum", 0.0, 1.0, when={"solver": "sgd", "depth": (3, None)})
        .float("decay", 0.0, 1.0, when={"momentum": (0.25, 0.75)})
    )
    study = gittins.Study(space, seed=2)
    for _ in range(3):
        for where in ({"momentum": 0.5}, {"momentum": (0.25, 0.5)}, {"decay": (None, 0.5)}):
            ask = study.ask(where=where)
            assert ask["solver"] == "sgd"
            assert ask["depth"] >= 3
            assert 0.25 <= ask["momentum"] <= 0.75
            assert all(name in ask for name in where)
            study.tell(ask, ask["momentum"])
    for where in ({"momentum": 0.5, "solver": "adam"}, {"decay": (0.1, 0.5), "depth": 2}):
        with pytest.raises(errors.OutOfBoundsError, match=r'"solver"|"depth"') as caught:
            study.ask(where=where)
        assert "leave no value" in str(caught.value)
    assert len(study.trials()) == 9


def test_what_the_engine_says_has_the_values_of_the_user():
    space = mixed().float("y", 0.0, 1.0).at_most({"x": 1.0, "y": 1.0}, 1.0)
    study = gittins.Study(space)
    point = {"x": 0.75, "k": 1, "any": True, "deep": 7, "fixed": [1, "a"], "y": 0.75}
    for make, words in (
        (lambda: study.ask(where={"m": 0.5, "k": 1}), '"k" is 1 and "k" is one of 2, 3'),
        (lambda: study.enter(point, 1.0), 'k = 1, any = true, deep = 7, fixed = \\[1, "a"\\]'),
    ):
        with pytest.raises(errors.OutOfBoundsError, match=words) as caught:
            make()
        assert "=1" not in str(caught.value)


def test_an_ask_is_a_mapping_of_what_exists():
    space = Space().flag("deep").float("m", 0.0, 1.0, when={"deep": True})
    study = gittins.Study(space)
    flat, deep = study.ask(where={"deep": False}), study.ask(where={"deep": True})
    assert dict(flat) == {"deep": False}
    assert dict(**flat) == flat
    assert flat == {"deep": False}
    assert list(flat.items()) == [("deep", False)]
    assert list(flat.values()) == [False]
    assert len(flat) == 1
    assert "m" not in flat
    assert flat["m"] is None
    assert flat.get("m", 0.5) == 0.5
    assert flat.point == {"deep": False, "m": None}
    assert len(deep) == 2
    assert "m" in deep
    assert deep.get("m", -1.0) == deep["m"]
    assert flat != deep
    assert flat == flat
    with pytest.raises(KeyError, match="no parameter is named 'n'"):
        flat["n"]


def test_a_study_is_shown_without_being_asked_anything(tmp_path):
    space = Space().float("<x>", 0.0, 1.0).choice("k", [1, 2])
    study = gittins.Study(space, cost="learned", cost_unit="s", policy=gittins.policy.gittins(1e-3))
    assert repr(study) == "Study(minimize <x>, k; 0 trials)"
    assert "<table>" in study._repr_html_()
    for _ in range(6):
        ask = study.ask()
        study.tell(ask, ask["<x>"], cost=2.0)
    study.ask()
    best = study.best()
    begin = f"Study(minimize <x>, k; 7 trials, 1 pending; best {best.outcome:.6g} in trial"
    assert repr(study) == f"{begin} {best.trial}; cost 12 s)"
    verdict, recommended = study.verdict(), study.recommendation()
    assert verdict.words[:30] in repr(study)
    assert len(repr(study).splitlines()) == 1
    shown = study._repr_html_()
    for text in ("&lt;x&gt;", "12 s", "last verdict", recommended.words.split(":")[1], "k = "):
        assert text in shown
    assert "<x>" not in shown
    journal = gittins.Journal(tmp_path / "a.journal", space)
    assert repr(journal) == "Journal(minimize <x>, k; 0 trials)"
    wide = Space()
    for number in range(40):
        wide.float(f"parameter_{number}", 0.0, 1.0)
    assert "and 34 more" in repr(gittins.Study(wide))
    # One that was never made.
    assert repr(object.__new__(gittins.Study)).startswith("Study(")
    assert repr(study.record()).startswith("Record(7 trials; trial, origin, state, <x>, k, outcome")
    assert len(repr(study.record())) < 200
