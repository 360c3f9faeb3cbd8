"""Studies that Optuna made, opened as a study in a file."""

from __future__ import annotations

import logging

import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

import gittins


def storage(path):
    return JournalStorage(JournalFileBackend(str(path)))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.log"


def test_a_study_with_branches_is_there_and_goes_on_in_both(path, caplog):
    study = optuna.create_study(storage=storage(path), sampler=optuna.samplers.RandomSampler(1))

    def objective(trial):
        if trial.suggest_categorical("model", ["svm", "forest"]) == "svm":
            kernel = trial.suggest_categorical("kernel", ["rbf", None, 3])
            gamma = trial.suggest_float("gamma", 0.0, 1.0) if kernel == "rbf" else 0.5
            return gamma + trial.suggest_float("C", 1e-3, 1e3, log=True) / 1e3
        return trial.suggest_int("depth", 1, 30) / 30

    study.optimize(objective, n_trials=30)
    journal = gittins.Journal(path)
    assert len(journal.trials()) == 30
    assert journal.best().outcome == study.best_value
    assert journal.left_out == {}
    assert not caplog.records
    asked = journal.ask()
    journal.tell(asked, 0.5)
    study = optuna.load_study(study_name=None, storage=storage(path))
    assert len(study.trials) == 31
    last = {name: value for name, value in dict(asked).items() if value is not None}
    assert study.trials[-1].params.keys() == last.keys()
    study.optimize(objective, n_trials=3)
    journal.sync()
    assert len(journal.trials()) + len(journal.left_out) == 34


def test_what_is_left_out_is_logged_once_and_kept(path, caplog):
    study = optuna.create_study(storage=storage(path))
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=4)
    study.tell(study.ask(), 1.0)  # without a parameter
    with caplog.at_level(logging.WARNING, "gittins"):
        journal = gittins.Journal(path)
        assert len(journal.trials()) == 4
        assert list(journal.left_out) == [4]
        (said,) = caplog.records
        assert "trial 4 is left out" in said.getMessage()
        assert "'x'" in said.getMessage() or '"x"' in said.getMessage()
        journal.tell(journal.ask(), 0.5)
        assert len(caplog.records) == 1
        # Another program goes beyond the bounds.
        study.optimize(lambda trial: trial.suggest_float("x", 5.0, 6.0), n_trials=2)
        journal.ask()
        assert "2 trials are left out" in caplog.records[1].getMessage()
    assert list(journal.left_out) == [4, 6, 7]


@pytest.mark.parametrize(
    "choices",
    [
        [16, 32, 64],
        ["relu", "tanh", None],
        [0.1, 1e-5],
        [1e16, 2.5e300],
        [True, "true"],
        [1, "1"],
        [None, "null"],
        [16],
        [None],
        ["=1", 1],
    ],
)
def test_choices_come_back_as_they_were_given(path, choices):
    study = optuna.create_study(storage=storage(path), sampler=optuna.samplers.RandomSampler(1))

    def objective(trial):
        return repr(trial.suggest_categorical("k", choices)).count("1") + trial.suggest_float(
            "x", 0.0, 1.0
        )

    study.optimize(objective, n_trials=9)
    journal = gittins.Journal(path)
    given = [trial.params["k"] for trial in study.trials]
    assert list(map(repr, given)) == [repr(trial.values["k"]) for trial in journal.trials()]
    assert journal.record()["k"] == given
    assert journal.best().values == study.best_params
    assert journal.recommendation().values["k"] in choices
    for choice in choices:
        ask = journal.ask(where={"k": [choice]})
        assert repr(ask["k"]) == repr(choice)
        journal.tell(ask, 5.0)
        again = optuna.load_study(study_name=None, storage=storage(path))
        assert again.trials[-1].params == dict(ask)
    space = journal.space
    (first,) = gittins.warm_start(space, [journal], 1)
    assert first["k"] in choices
    assert repr(gittins.Study(space, first=[first]).ask()["k"]) == repr(first["k"])


def test_steps_that_became_finer_are_one_parameter(path):
    study = optuna.create_study(storage=storage(path))
    for step in (5, 1):
        for _ in range(3):
            trial = study.ask()
            study.tell(trial, trial.suggest_int("depth", 0, 20, step=step))
    journal = gittins.Journal(path)
    assert len(journal.trials()) == 6
    assert 0 <= journal.ask()["depth"] <= 20


def test_a_line_that_is_gone_is_logged(path, caplog):
    journal = gittins.Journal(path, gittins.Space().float("x", 0.0, 1.0))
    for _ in range(3):
        journal.tell(journal.ask(), 1.0)
    lines = path.read_bytes().splitlines(keepends=True)
    made = [number for number, line in enumerate(lines) if line.startswith(b'{"op_code":4')]
    path.write_bytes(b"".join(lines[: made[1]] + lines[made[1] + 1 :]))
    gittins.Journal(path)
    assert "is gone" in caplog.text
    assert "put back a copy" in caplog.text


@pytest.mark.parametrize(
    ("tail", "trials"), [(b"\n", 3), (b"  \n", 3), (b"\0" * 300, 3), (b"\0" * 300 + b"\n", 3)]
)
@pytest.mark.parametrize("cut", [0, 1])
def test_optuna_reads_what_was_mended(path, tail, trials, cut):
    space = gittins.Space().float("x", 0.0, 1.0)
    journal = gittins.Journal(path, space, name="s")
    for _ in range(trials):
        journal.tell(journal.ask(), 1.0)
    whole = path.read_bytes()
    if cut and not tail.startswith(b"\0"):
        pytest.skip("a blank line has the end of a line before it")
    path.write_bytes(whole[: len(whole) - cut] + tail)
    journal = gittins.Journal(path)
    journal.tell(journal.ask(), 0.5)
    study = optuna.load_study(study_name="s", storage=storage(path))
    assert [trial.state.name for trial in study.trials] == ["COMPLETE"] * (trials + 1)
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=1)
    journal.sync()
    assert len(journal.trials()) == trials + 2
