"""The engine by ask and tell."""

from __future__ import annotations

import doctest
import math
import os
import sys
import sysconfig
import threading
import time

import pytest

import gittins
import gittins.space
import gittins.study
from gittins import _gittins, policy


def quadratic(ask):
    return (ask["x"] - 0.3) ** 2 + (0.0 if ask["k"] == "b" else 0.5)


def space():
    return gittins.Space().float("x", 0.0, 1.0).choice("k", ["a", "b", "c"])


def run(study, trials):
    for _ in range(trials):
        ask = study.ask()
        study.tell(ask, quadratic(ask))
    return study


@pytest.mark.parametrize("module", [gittins.study, gittins.space])
def test_the_examples_of_the_documentation(module):
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


def test_a_run_finds_the_optimum_and_repeats_itself_by_its_seed():
    points = []
    for _ in range(2):
        study = run(gittins.Study(space(), seed=4), 20)
        assert study.best().outcome < 1e-3
        points.append([trial.values for trial in study.trials()])
    assert points[0] == points[1]
    other = run(gittins.Study(space(), seed=5), 20)
    assert [trial.values for trial in other.trials()] != points[0]


def test_conditions_names_flags_and_the_types_of_values():
    space = (
        gittins.Space()
        .choice("solver", ["adam", "sgd"])
        .float("momentum", 0.0, 1.0, when={"solver": ["sgd"]})
        .int("layers", 1, 3)
        .log_int("units", 4, 64, when={"layers": (2, None)})
        .steps("share", 0.1, 0.9, 0.2)
        .numbers("batch", [16, 32, 64])
        .ordinal("size", ["s", "m", "l"])
        .flag("bias")
        .constant("rounds", 10)
    )
    study = gittins.Study(space)
    for _ in range(12):
        ask = study.ask()
        assert (ask["momentum"] is None) == (ask["solver"] == "adam")
        assert (ask["units"] is None) == (ask["layers"] == 1)
        assert isinstance(ask["layers"], int)
        assert isinstance(ask["bias"], bool)
        assert ask["batch"] in (16, 32, 64)
        assert ask["rounds"] == 10
        assert ("momentum" in dict(**ask)) == (ask["solver"] == "sgd")
        study.tell(ask, ask["layers"] + ask["share"])
    assert gittins.Space.from_data(space.to_data()) == space


def test_asking_where_some_parameters_are_given():
    study = run(gittins.Study(space(), seed=1), 12)
    ask = study.ask(where={"k": ["a", "c"], "x": (0.5, 0.8)})
    assert ask["k"] in ("a", "c")
    assert 0.5 <= ask["x"] <= 0.8 + 1e-15
    assert study.ask(where={"x": 0.25})["x"] == pytest.approx(0.25, abs=1e-15)
    with pytest.raises(gittins.errors.OutOfBoundsError, match='parameter "x"'):
        study.ask(where={"x": (2.0, None)})


def test_costs_are_learned_told_later_and_limit_what_is_asked_for():
    space = gittins.Space().float("x", 0.0, 1.0)
    study = gittins.Study(space, cost="learned", cost_unit="s", seed=2)
    for _ in range(8):
        ask = study.ask()
        study.tell(ask, (ask["x"] - 0.7) ** 2, cost_later=True)
        study.tell_cost(ask, 1.0 + 9.0 * ask["x"])
    assert study.total_cost > study.spent > 0.0
    ask = study.ask(within=3.0)
    forecast = study.forecast(ask)
    assert forecast.expected <= 3.0 + 1e-9
    study.note_running(ask, 100.0)
    assert study.forecast(ask).overdue
    assert ask["x"] < 0.4
    with pytest.raises(gittins.errors.EmptyError):
        study.ask(within=1e-6)
    with pytest.raises(gittins.errors.MissingCostError, match="trial 8"):
        study.tell(ask, 0.1)


def test_what_is_asked_for_combines():
    study = gittins.Study(space(), "minimize", cost="learned", seed=2)
    for ask in study.ask_many(8):
        study.tell(ask, ask["x"], cost=1.0 + 9.0 * ask["x"])
    part = {"k": "a", "x": (0.0, 0.5)}
    asks = study.ask_many(3, within=4.0, where=part, jointly=True)
    assert len(asks) == 3
    for ask in asks:
        assert ask["k"] == "a"
        assert ask["x"] <= 0.5
        assert study.forecast(ask).expected <= 4.0 + 1e-9
    assert study.ask(within=4.0, where=part)["k"] == "a"
    assert study.ask_many(3, within=1e-6, where=part) == []
    assert study.ask_many(0) == []


def test_trials_that_fail_are_withdrawn_entered_announced_and_corrected():
    study = gittins.Study(space(), "maximize")
    first, second, third = study.ask_many(3)
    study.tell(first, failed=True)
    study.tell(second, 4.0)
    study.correct(second, 1.0)
    study.withdraw(third)
    study.enter({"x": 0.5, "k": "c"}, 2.0)
    running = study.announce({"x": 0.25, "k": "a"})
    assert [trial.state for trial in study.trials()] == [
        "failed",
        "complete",
        "withdrawn",
        "complete",
        "pending",
    ]
    study.tell(running, infeasible=True)
    assert study.best().outcome == 2.0
    assert study.recommendation().trial in (1, 3)
    with pytest.raises(gittins.errors.UnknownParameterError, match="'y'"):
        study.enter({"y": 1.0}, 2.0)


def test_what_the_engine_says_stands_in_its_fields():
    space = gittins.Space().float("x", 0.0, 1.0)
    study = gittins.Study(space, cost="learned", policy=policy.gittins(1e-3), seed=2)
    for _ in range(8):
        ask = study.ask()
        study.tell(ask, 10.0 + ask["x"], cost=2.0 + ask["x"])
    ask = study.ask()
    study.note_running(ask, 0.5)
    forecast = study.forecast(ask)
    # The mean of a skewed cost is above its median, and what is to come is less than all of it.
    assert 2.0 < forecast.median < forecast.expected < 3.0
    assert forecast.so_far == 0.5
    assert forecast.expected > forecast.rest > 1.0
    assert 0.0 < forecast.dead < 0.1
    assert forecast.overdue is False
    study.tell(ask, 10.0 + ask["x"], cost=2.0 + ask["x"])
    best = study.recommendation()
    assert best.outcome == study.trials()[best.trial].outcome == study.best().outcome
    assert best.outcome == 10.0 + best.values["x"]
    assert abs(best.mean - best.outcome) < 0.1
    assert 0.0 < best.sd < 0.1
    verdict = study.verdict()
    assert verdict.stop == (verdict.statistic <= verdict.threshold)
    assert verdict.rule == "Gittins index"
    trial = study.trials()[-1]
    assert (trial.trial, trial.state, trial.origin) == (8, "complete", "suggested")
    assert (trial.outcome, trial.cost) == (10.0 + ask["x"], 2.0 + ask["x"])


def test_verdicts_stop_at_a_price_and_say_why():
    study = run(gittins.Study(space(), policy=policy.gittins(1e-3), seed=3), 5)
    for _ in range(60):
        verdict = study.verdict()
        if verdict:
            break
        ask = study.ask()
        study.tell(ask, quadratic(ask))
    assert verdict.stop
    assert str(verdict).startswith("stop: ")
    assert study.verdict(on_another=True)
    assert study.price_from_budget(1000.0) > 0.0


def test_the_record_is_a_table():
    study = run(gittins.Study(space(), cost="learned", seed=1), 0)
    for _ in range(8):
        ask = study.ask()
        study.tell(ask, quadratic(ask), cost=2.0)
    record = study.record()
    assert record.rows == 8
    assert {len(column) for column in record.values()} == {8}
    assert record["outcome"] == [trial.outcome for trial in study.trials()]
    assert record["best"][-1] == min(record["outcome"])
    assert record["mean"][-1] is not None
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(record)
    assert frame["cost"].sum() == 16.0
    assert list(frame["k"]) == record["k"]


def every_type():
    return (
        gittins.Space()
        .float("x", 0.0, 1.0)
        .int("k", 1, 9)
        .flag("deep")
        .choice("solver", ["adam", "inf"])
        .float("momentum", 0.0, 1.0, when={"solver": "inf"})
    )


def recorded(trials):
    study = gittins.Study(every_type(), cost="learned", seed=2)
    for number in range(trials):
        ask = study.ask()
        if number == 1:
            study.tell(ask, failed=True, cost=1.0)
        else:
            study.tell(ask, ask["x"] + ask["k"] * ask["deep"], cost=2.0)
    study.ask()
    return study.record()


def test_a_record_is_a_stream_of_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    record = recorded(9)
    table = pyarrow.RecordBatchReader.from_stream(record).read_all()
    assert table.to_pydict() == record
    types = {
        "int64": ["trial", "told", "k"],
        "string": ["origin", "state", "solver"],
        "bool": ["deep"],
    }
    of_name = {name: kind for kind, names in types.items() for name in names}
    for field in table.schema:
        assert str(field.type) == of_name.get(field.name, "double"), field.name
    # A column that nobody knows anything of yet has its type all the same.
    first = pyarrow.RecordBatchReader.from_stream(recorded(0))
    assert [str(first.schema.field(name).type) for name in ("told", "best")] == ["int64", "double"]
    # What somebody adds has the least type that holds all of it.
    record["mine"] = [1, 2.5, "three", None, *[True] * 6]
    mine = pyarrow.RecordBatchReader.from_stream(record).read_all()["mine"].to_pylist()
    assert mine == ["1", "2.5", "three", None, *["true"] * 6]


def test_data_frames_read_a_record():
    record = recorded(9)
    if hasattr(pytest.importorskip("pandas").DataFrame, "from_arrow"):
        pytest.importorskip("pyarrow")
        import pandas

        assert pandas.DataFrame.from_arrow(record)["cost"].sum() == 17.0
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(record).to_dict(as_series=False) == record


def test_a_stream_that_nobody_reads_is_no_leak_and_wrong_columns_are_refused():
    assert type(recorded(3).__arrow_c_stream__()).__name__ == "PyCapsule"
    record = recorded(3)
    record["outcome"].append(1.0)
    with pytest.raises(ValueError, match="same length"):
        record.__arrow_c_stream__()
    with pytest.raises(ValueError, match='"colour"'):
        _gittins.arrow_stream([("a", "colour", [1.0])])


def test_a_journal_goes_on_where_it_was(tmp_path):
    path = tmp_path / "study.journal"
    study = gittins.Journal(path, space(), seed=5)
    run(study, 7)
    asked = study.ask()
    again = gittins.Journal(path)
    assert [trial.values for trial in again.trials()] == [trial.values for trial in study.trials()]
    again.tell(asked.trial, 0.25)
    study.sync()
    assert study.trials()[-1].outcome == 0.25
    with pytest.raises(gittins.errors.InvalidSettingError, match="seed, policy"):
        gittins.Journal(path, seed=1, policy=policy.gittins(1e-3))
    with pytest.raises(TypeError, match="'polcy' is no setting"):
        gittins.Journal(path, space(), polcy=policy.gittins(1e-3))
    with pytest.raises(gittins.errors.StorageError, match="missing"):
        gittins.Journal(tmp_path / "missing" / "file")


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: gittins.Study(gittins.Space()), gittins.errors.EmptyError, "parameter"),
        (
            lambda: gittins.Study(gittins.Space().float("rate", 1.0, 0.0)),
            gittins.errors.InvalidSettingError,
            "rate",
        ),
        (
            lambda: gittins.Study(gittins.Space().float("rate", 0.0, math.inf)),
            gittins.errors.NonFiniteError,
            "rate",
        ),
        (lambda: gittins.Study(space(), "down"), gittins.errors.InvalidSettingError, "'down'"),
        (
            lambda: gittins.Study(space(), policy=policy.gittins(-1.0)),
            gittins.errors.InvalidSettingError,
            "-1",
        ),
        (
            lambda: gittins.Study(space()).tell(7, 1.0),
            gittins.errors.UnknownTrialError,
            "trial 7",
        ),
        (
            lambda: gittins.Study(space()).enter({"x": 2.0, "k": "a"}, 1.0),
            gittins.errors.OutOfBoundsError,
            '"x"',
        ),
        (
            lambda: gittins.Study(space()).enter({"x": 0.5, "k": "a"}, math.nan),
            gittins.errors.NonFiniteError,
            "outcome",
        ),
    ],
)
def test_errors_name_their_culprit(make, error, words):
    with pytest.raises(error, match=words) as caught:
        make()
    assert isinstance(caught.value, gittins.GittinsError)


def test_every_kind_of_error_has_a_class_of_its_own():
    names = _gittins.error_classes()
    assert sorted([*names, "GittinsError"]) == gittins.errors.__all__
    classes = [getattr(gittins.errors, name) for name in names]
    assert len(set(classes)) == len(classes) == 16
    assert all(issubclass(found, gittins.GittinsError) for found in classes)
    assert [found.__name__ for found in classes] == names


def test_a_build_without_the_lock_of_the_interpreter_stays_without_it():
    # The import of a module that does not say that it is ready would turn the lock on.
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this Python has the lock")
    if os.environ.get("PYTHON_GIL") == "1":
        pytest.skip("the lock is asked for")
    assert not sys._is_gil_enabled()


def test_studies_in_many_threads_are_as_if_alone():
    alone = run(gittins.Study(space(), seed=1), 12).record()
    records = [None] * 8

    def work(place):
        records[place] = run(gittins.Study(space(), seed=1), 12).record()

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(records))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert records == [alone] * 8


def test_threads_share_a_study_and_others_go_on_meanwhile():
    study = gittins.Study(space(), seed=1)
    errors = []

    def work():
        try:
            run(study, 8)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(study.trials()) == 32
    assert all(trial.state == "complete" for trial in study.trials())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_threads_with_a_journal_each_on_one_file_never_wait_for_each_other_for_good(tmp_path):
    path = tmp_path / "shared.journal"
    space = gittins.Space().float("x", 0.0, 1.0).choice("k", ["a", 3])
    gittins.Journal(path, space, price=1e-3, cost="learned")
    # The lock of a file is given up after 30 s: a wait of that length is one for good.
    slowest = []

    def work():
        for _ in range(5):
            began = time.monotonic()
            journal = gittins.Journal(path)
            ask = journal.ask()
            journal.tell(ask, (ask["x"] - 0.3) ** 2, cost=1.0)
            slowest.append(time.monotonic() - began)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    journal = gittins.Journal(path)
    assert [trial.state for trial in journal.trials()] == ["complete"] * 20
    assert max(slowest) < 30.0


def test_a_forked_process_computes_with_threads_of_its_own():
    study = run(gittins.Study(space(), seed=1), 12)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, repr(study.ask().point).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as said:
        values = said.read()
    assert os.waitpid(child, 0)[1] == 0
    assert values == repr(study.ask().point)


def test_pictures():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("svg")
    study = gittins.Study(space(), cost="learned", seed=1)
    for number in range(9):
        ask = study.ask()
        if number == 4:
            study.tell(ask, failed=True, cost=1.0)
        else:
            study.tell(ask, quadratic(ask), cost=1.0 + ask["x"])
    axes = gittins.plot.progress(study)
    trials, best = axes.get_lines()
    assert len(trials.get_xdata()) == 8
    assert best.get_xdata()[-1] == pytest.approx(study.total_cost)
    assert best.get_ydata()[-1] == study.best().outcome
    assert gittins.plot.costs(study).get_xlabel() == "expected cost"
